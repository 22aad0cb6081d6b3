import { z } from 'zod';

/** The provider format of tool definitions. `openai-chat` also covers Mistral and all compatible servers. */
export const SearchToolFormatName = z.enum([
  'openai-chat',
  'openai-responses',
  'anthropic',
  'gemini',
  'bedrock',
  'mcp',
  'spring',
]);

const jsonObject = z.record(z.string(), z.unknown());

/** The target of a tool's calls. */
export const RegistryBackend = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('mcp'), server: z.string() }),
  z.object({ kind: z.literal('provider'), provider: z.string(), tool: z.string() }),
  z.object({ kind: z.literal('local'), handler: z.string() }),
]);

/** A tool as the Model Context Protocol defines it; unknown fields are kept. */
export const RegistryTool = z.looseObject({
  name: z.string().describe('1 to 128 of the characters A-Z a-z 0-9 _ . -'),
  title: z.string().optional(),
  description: z.string().optional(),
  inputSchema: jsonObject.describe('JSON Schema 2020-12, or draft-07 if `$schema` says so.'),
  outputSchema: jsonObject.optional(),
  annotations: jsonObject.optional(),
  icons: z.array(z.unknown()).optional(),
  _meta: jsonObject.optional(),
});
export type RegistryTool = z.infer<typeof RegistryTool>;

/** One tool to register. */
export const RegistrationRequest = z.object({
  tool: RegistryTool,
  namespace: z
    .string()
    .optional()
    .describe('Begins with a-z or 0-9; at most 64 of the characters a-z 0-9 . _ -'),
  tags: z.array(z.string()).optional().describe('Normalized; only the first 20 are kept.'),
  version: z.string().optional(),
  backend: RegistryBackend,
});

/**
 * Body of `PUT /v1/registry/tools`. The registry itself validates the tools and reports each problem with its
 * own code; `RegistrationRequest` is the schema of one tool.
 */
export const RegisterRequest = z.object({
  dry_run: z.boolean().default(false).describe('Whether to report the changes without making them.'),
  on_difference: z
    .enum(['replace', 'refuse'])
    .optional()
    .describe(
      'What to do with a tool that the same backend registered with another definition; by default, as the setting `on_difference` says.',
    ),
  tools: z.array(z.unknown()).describe('1 to 1,000 tools; either all of them are registered or none.'),
});

const version = z.int().min(0).describe('Version of the content; increases by one with every change.');

/** Response of `PUT /v1/registry/tools`. */
export const RegisterResponse = z.object({
  version,
  registered: z.int(),
  updated: z.int(),
  unchanged: z.int(),
  dry_run: z.literal(true).optional(),
  tools: z
    .array(
      z.object({
        id: z.string(),
        tool_name: z.string(),
        effect: z.enum(['registered', 'updated', 'unchanged']),
      }),
    )
    .optional()
    .describe('The expected outcome for each tool; only in a dry run.'),
});
export type RegisterResponse = z.infer<typeof RegisterResponse>;

/** Response of a request that removes or replaces content. */
export const ChangeResponse = z.object({
  version,
  updated: z.int(),
  removed: z.int(),
  unchanged: z.int(),
});
export type ChangeResponse = z.infer<typeof ChangeResponse>;

export const RegistryToolSummary = z.object({
  id: z.string().describe('`namespace:name`, or the name alone.'),
  tool_name: z
    .string()
    .describe('The name by which a model sees and calls the tool; accepted in place of the id everywhere.'),
  namespace: z.string().optional(),
  name: z.string(),
  title: z.string().optional(),
  summary: z.string().describe('First sentence of the description, at most 120 characters.'),
  tags: z.array(z.string()),
  version: z.string().optional(),
  annotations: jsonObject.optional(),
  server: z.string().optional().describe('The MCP server of its default backend.'),
  stale_since: z
    .string()
    .optional()
    .describe('The time since which its MCP server could not be read; the tool may have changed.'),
});
export type RegistryToolSummary = z.infer<typeof RegistryToolSummary>;

const nextCursor = z.string().optional().describe('Absent on the last page.');

/** A summary of a tool, with its definition on request. */
export const ListedTool = RegistryToolSummary.extend({
  example_titles: z.array(z.string()).optional().describe('Titles of its examples, which are searched.'),
  definition: RegistryTool.optional().describe('With `include=schemas`: the tool as registered.'),
});
export type ListedTool = z.infer<typeof ListedTool>;

/** Response of `GET /v1/registry/tools`. */
export const ToolListResponse = z.object({
  tools: z.array(ListedTool).describe('By id.'),
  next_cursor: nextCursor,
  version,
});
export type ToolListResponse = z.infer<typeof ToolListResponse>;

/** An example call of a tool. */
export const RegistryExample = z.object({
  title: z.string(),
  arguments: jsonObject,
  result_hint: z.string().optional(),
});

/** Levels of detail about a tool; each includes the previous ones. */
export const DetailLevelName = z.enum(['summary', 'schema', 'full']);

/** Response of `GET /v1/registry/tools/{id}`. */
export const ToolDetailResponse = RegistryToolSummary.extend({
  definition: RegistryTool.optional().describe(
    'With `detail=schema` or `detail=full`: the tool as registered.',
  ),
  external_ref: z
    .literal(true)
    .optional()
    .describe('Whether a schema refers to another document, which is not followed.'),
  examples: z.array(RegistryExample).optional().describe('With `detail=full`: at most 3.'),
  backends: z.array(RegistryBackend).optional().describe('With `detail=full`, in order of registration.'),
  default_backend: RegistryBackend.optional().describe('With `detail=full`.'),
  usage: z
    .object({ calls: z.int() })
    .optional()
    .describe('With `detail=full`: the number of calls in 7 days.'),
});
export type ToolDetailResponse = z.infer<typeof ToolDetailResponse>;

/** Response of `GET /v1/registry/namespaces`. */
export const NamespaceListResponse = z.object({
  namespaces: z
    .array(z.object({ name: z.string(), tools: z.int() }))
    .describe('Sorted by name; the empty name, for tools without a namespace, is first.'),
  next_cursor: nextCursor,
  version,
});
export type NamespaceListResponse = z.infer<typeof NamespaceListResponse>;

/** Body of `PUT /v1/registry/tools/{id}/examples`. */
export const ExamplesRequest = z.object({
  examples: z
    .array(z.unknown())
    .describe("At most 5 examples of 8 KiB each, with arguments that match the tool's schema."),
});

/** Body of `POST /v1/registry/expand`. */
export const ExpandRequest = z.object({
  ids: z.array(z.string()).describe('At most 50 ids or model names.'),
  format: SearchToolFormatName.optional().describe(
    'The provider format of the definitions; by default they are returned as registered.',
  ),
});

/** Response of `POST /v1/registry/expand`. */
export const ExpandResponse = z.object({
  tools: z.array(RegistryToolSummary.extend({ definition: jsonObject })),
  unknown: z.array(z.string()).describe('Ids and names that match no tool.'),
  version,
});
export type ExpandResponse = z.infer<typeof ExpandResponse>;

/** Body of `POST /v1/registry/usage`. */
export const UsageRequest = z.object({
  ids: z.array(z.string()).max(1_000).describe('Ids or model names of called tools, one entry per call.'),
});

/** Response of `GET /v1/registry/usage`. */
export const CallsResponse = z.object({
  tools: z
    .array(
      z.object({
        id: z.string(),
        calls: z.int(),
        outcomes: z
          .record(z.string(), z.int())
          .describe('Number of calls by outcome, such as `ok` or `invalid_arguments`.'),
        mean_ms: z.number(),
        max_ms: z.number(),
        result_chars: z.int().describe('Total characters of all results, as JSON.'),
      }),
    )
    .describe('Most called tools first.'),
});
export type CallsResponse = z.infer<typeof CallsResponse>;

/** Response of `GET /v1/registry/stats`. */
export const StatsResponse = z.object({
  version,
  epoch: z
    .string()
    .describe('The current epoch of the content; versions of different epochs are not comparable.'),
  tools: z.int(),
  backends: z.int(),
  namespaces: z.int(),
  index_bytes: z.int().optional().describe('Absent for a token that is limited to namespaces.'),
  index_hash: z.string().describe('Equal for equal searchable content, regardless of its history.'),
  result_cache: z
    .object({ hits: z.int(), misses: z.int(), lists: z.int() })
    .optional()
    .describe('Absent for a token that is limited to namespaces.'),
  servers: z
    .object({ disabled: z.int(), connecting: z.int(), up: z.int(), down: z.int() })
    .describe('Number of MCP servers by state.'),
});
export type StatsResponse = z.infer<typeof StatsResponse>;

/** The `data` of one event of `GET /v1/registry/changes`. */
export const ChangeEventData = z.object({
  type: z.enum(['tool_registered', 'tool_updated', 'backend_removed', 'tool_removed', 'refreshed']),
  version,
  index: z.int().min(0),
  id: z.string().optional(),
  backend: RegistryBackend.optional(),
  reason: z.string().optional(),
  definition: z
    .object({ before: z.string(), after: z.string(), changed: z.array(z.string()) })
    .optional()
    .describe(
      'With `tool_updated`, if an MCP server has changed the definition: digests of both definitions, and the fields that differ.',
    ),
  at: z.string().describe('ISO 8601, in UTC.'),
});
export type ChangeEventData = z.infer<typeof ChangeEventData>;
