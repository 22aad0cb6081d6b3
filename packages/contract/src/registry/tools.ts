import { z } from 'zod';
import { SearchToolFormatName } from './search-tool-format.ts';

const jsonObject = z.record(z.string(), z.unknown());

/** Where a call of a tool would go. */
export const RegistryBackend = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('mcp'), server: z.string() }),
  z.object({ kind: z.literal('provider'), provider: z.string(), tool: z.string() }),
  z.object({ kind: z.literal('local'), handler: z.string() }),
]);

/** A tool as the Model Context Protocol defines it; further fields are kept. */
export const RegistryTool = z.looseObject({
  name: z.string().describe('1 to 128 of the characters A-Z a-z 0-9 _ . -'),
  title: z.string().optional(),
  description: z.string().optional(),
  inputSchema: jsonObject.describe('JSON Schema 2020-12, or draft-07 where `$schema` says so.'),
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
  tags: z.array(z.string()).optional().describe('Brought into one spelling; the first 20 are kept.'),
  version: z.string().optional(),
  backend: RegistryBackend,
});

/**
 * Body of `PUT /v1/registry/tools`. The tools themselves are checked by the registry, which names every problem by its own code; the
 * schema of one is `RegistrationRequest`.
 */
export const RegisterRequest = z.object({
  dry_run: z.boolean().default(false).describe('Say what would happen, and change nothing.'),
  tools: z.array(z.unknown()).describe('1 to 1,000 tools; all of them are registered, or none.'),
});

const version = z.int().min(0).describe('Of the content; rises by one with every change.');

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
    .describe('What would become of each tool; in a dry run only.'),
});
export type RegisterResponse = z.infer<typeof RegisterResponse>;

/** Response of a request that removes or replaces something. */
export const ChangeResponse = z.object({
  version,
  updated: z.int(),
  removed: z.int(),
  unchanged: z.int(),
});
export type ChangeResponse = z.infer<typeof ChangeResponse>;

/** A tool in short. */
export const RegistryToolSummary = z.object({
  id: z.string().describe('`namespace:name`, or the name alone.'),
  tool_name: z
    .string()
    .describe('The name by which a model sees and calls it; stands for the id everywhere.'),
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
    .describe('Its MCP server could not be read since then: the tool may have changed.'),
});
export type RegistryToolSummary = z.infer<typeof RegistryToolSummary>;

const nextCursor = z.string().optional().describe('Missing on the last page.');

/** A tool in short, with its definition where that was asked for. */
export const ListedTool = RegistryToolSummary.extend({
  definition: RegistryTool.optional().describe('With `include=schemas`: the tool as it was registered.'),
});
export type ListedTool = z.infer<typeof ListedTool>;

/** Response of `GET /v1/registry/tools`. */
export const ToolListResponse = z.object({
  tools: z.array(ListedTool).describe('By id.'),
  next_cursor: nextCursor,
  version,
});
export type ToolListResponse = z.infer<typeof ToolListResponse>;

/** A call that shows how a tool is used. */
export const RegistryExample = z.object({
  title: z.string(),
  arguments: jsonObject,
  result_hint: z.string().optional(),
});

/** How much is told of a tool; each level tells all that the ones before it do. */
export const DetailLevelName = z.enum(['summary', 'schema', 'full']);

/** Response of `GET /v1/registry/tools/{id}`. */
export const ToolDetailResponse = RegistryToolSummary.extend({
  definition: RegistryTool.optional().describe('From `detail=schema` on: the tool as it was registered.'),
  external_ref: z
    .literal(true)
    .optional()
    .describe('A schema refers to another document, which is not followed.'),
  examples: z.array(RegistryExample).optional().describe('With `detail=full`: at most 3.'),
  backends: z.array(RegistryBackend).optional().describe('With `detail=full`, in order of registration.'),
  default_backend: RegistryBackend.optional().describe('With `detail=full`.'),
  usage: z
    .object({ calls: z.int() })
    .optional()
    .describe('With `detail=full`: calls that were counted over 7 days.'),
});
export type ToolDetailResponse = z.infer<typeof ToolDetailResponse>;

/** Response of `GET /v1/registry/namespaces`. */
export const NamespaceListResponse = z.object({
  namespaces: z
    .array(z.object({ name: z.string(), tools: z.int() }))
    .describe('By name; the empty one, of tools without a namespace, comes first.'),
  next_cursor: nextCursor,
  version,
});
export type NamespaceListResponse = z.infer<typeof NamespaceListResponse>;

/** Body of `PUT /v1/registry/tools/{id}/examples`. */
export const ExamplesRequest = z.object({
  examples: z
    .array(z.unknown())
    .describe('At most 5, of 8 KiB each, with arguments that the schema of the tool allows.'),
});

/** Body of `POST /v1/registry/expand`. */
export const ExpandRequest = z.object({
  ids: z.array(z.string()).describe('At most 50 ids or model names.'),
  format: SearchToolFormatName.optional().describe(
    'Whose shape the definitions are to have; without it they are as they were registered.',
  ),
});

/** Response of `POST /v1/registry/expand`. */
export const ExpandResponse = z.object({
  tools: z.array(RegistryToolSummary.extend({ definition: jsonObject })),
  unknown: z.array(z.string()).describe('Ids and names of no tool.'),
  version,
});
export type ExpandResponse = z.infer<typeof ExpandResponse>;

/** Body of `POST /v1/registry/usage`. */
export const UsageRequest = z.object({
  ids: z
    .array(z.string())
    .max(1_000)
    .describe('Ids or model names of tools that were called; one for each call.'),
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
          .describe('How many calls came to what, such as `ok` or `invalid_arguments`.'),
        mean_ms: z.number(),
        max_ms: z.number(),
        result_chars: z.int().describe('Characters of all results together, as JSON.'),
      }),
    )
    .describe('The most called first.'),
});
export type CallsResponse = z.infer<typeof CallsResponse>;

/** Response of `GET /v1/registry/stats`. */
export const StatsResponse = z.object({
  version,
  epoch: z.string().describe('The current life of the content; versions of different epochs do not compare.'),
  tools: z.int(),
  backends: z.int(),
  namespaces: z.int(),
  index_bytes: z.int(),
  index_hash: z.string().describe('Equal for equal searchable content, however it came about.'),
  result_cache: z.object({ hits: z.int(), misses: z.int(), lists: z.int() }),
  servers: z
    .object({ disabled: z.int(), connecting: z.int(), up: z.int(), down: z.int() })
    .describe('MCP servers by their state.'),
});
export type StatsResponse = z.infer<typeof StatsResponse>;

/** One event of `GET /v1/registry/changes`, as its `data` says it. */
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
      'With `tool_updated` by an MCP server that defines the tool otherwise than before: digests of both definitions, and the fields that differ.',
    ),
  at: z.string().describe('ISO 8601, in UTC.'),
});
export type ChangeEventData = z.infer<typeof ChangeEventData>;
