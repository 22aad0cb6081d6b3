import { z } from 'zod';
import { LIMITS } from '../limits.ts';

/** Limits of request fields. */
export const ATTACH_LIMITS = {
  /** Largest configurable `limit`. */
  limit: 100,
  keepTools: 1_000,
  idempotencyKeyChars: 255,
} as const;

const ID = /^(agent-)?[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** A Letta agent id: `agent-` and a lower-case UUID. A bare UUID is accepted, too. */
const AgentId = z
  .string()
  .regex(ID, 'Invalid input: expected a UUID, with or without "agent-" before it')
  .transform((text) => `agent-${text.toLowerCase().replace(/^agent-/, '')}`);

const ToolIds = z.array(z.string()).max(ATTACH_LIMITS.keepTools);

/** Body of `POST /api/v1/tools/attach`. Unknown members are ignored. */
export const AttachRequest = z.object({
  agent_id: AgentId.describe('A UUID, with or without `agent-` before it.'),
  query: z
    .string()
    .max(LIMITS.keywordPatternChars)
    .default('')
    .describe('The task ahead of the agent. Without a query, nothing changes.'),
  limit: z
    .int()
    .min(1)
    .max(ATTACH_LIMITS.limit)
    .optional()
    .describe('Maximum number of tools to consider; 10 by default, and at most find_tools_max_limit.'),
  min_score: z
    .number()
    .min(0)
    .max(100)
    .default(35)
    .describe('Tools with a lower match_score are not attached.'),
  keep_tools: ToolIds.default([]).describe('Ids of tools to keep attached.'),
  auto_prune: z.boolean().default(true).describe('Whether to prune once more at the end.'),
  skip_loop_trigger: z
    .boolean()
    .default(true)
    .describe("Whether to leave the agent's loop alone; false sends it a message afterwards."),
  dry_run: z.boolean().default(false).describe('Whether to report the changes without making them.'),
  plan_id: z
    .string()
    .max(64)
    .optional()
    .describe('The id of a dry run to carry out, if the agent still has the same tools.'),
});
export type AttachRequest = z.infer<typeof AttachRequest>;

const AttachedTool = z.object({
  success: z.literal(true),
  tool_id: z.string(),
  name: z.string(),
  match_score: z.number().describe('0 to 100, comparable between requests.'),
});

const FailedTool = z.object({
  success: z.literal(false),
  tool_id: z.string().optional(),
  name: z.string(),
  error: z
    .string()
    .describe(
      '`limit`, `not_found`, `not_registered`, `letta_error`, `letta_timeout` or `lost_after_attach`.',
    ),
});

const AttachWarning = z.object({ code: z.string(), message: z.string() });

/** The outcome of a request. */
const AttachDetails = z.object({
  detached_tools: z.array(z.string()).describe('Ids of all detached tools, including pruned ones.'),
  failed_detachments: z.array(z.string()),
  processed_count: z.int().describe('Number of tools considered.'),
  passed_filter_count: z.int().describe('Number of tools that score at least `min_score`.'),
  success_count: z.int(),
  failure_count: z.int(),
  successful_attachments: z.array(AttachedTool),
  failed_attachments: z.array(FailedTool),
  preserved_tools: z
    .array(z.string())
    .describe('`keep_tools` as given, then the ids that other protections kept.'),
  target_agent: z.string(),
  already_attached: z.array(z.string()).describe('Ids of matching tools that were attached before.'),
  pruned_before: z.array(z.string()).describe('Ids of tools detached to make room.'),
  pruned_after: z.array(z.string()),
  warnings: z.array(AttachWarning),
  weak_matches: z
    .array(z.object({ tool_id: z.string().optional(), name: z.string(), match_score: z.number() }))
    .optional()
    .describe('Tools that come near where none clearly fits (warning `weak_match`). They are not attached.'),
  limits: z.object({ total: z.int(), mcp: z.int(), before: z.int(), after: z.int() }),
  dry_run: z.boolean(),
  plan_id: z.string().optional(),
  loop_triggered: z.boolean(),
});

/** Response of `POST /api/v1/tools/attach` and of `POST /api/v1/tools/prune`. */
export const AttachResponse = z.object({
  success: z
    .boolean()
    .describe(
      'False if tools passed the filter and none could be attached, or if the change was rolled back.',
    ),
  message: z.string(),
  details: AttachDetails,
});
export type AttachResponse = z.infer<typeof AttachResponse>;

/** Body of `POST /api/v1/tools/prune`. */
export const PruneRequest = z.object({
  agent_id: AgentId,
  user_prompt: z.string().min(1).max(LIMITS.keywordPatternChars),
  drop_rate: z.number().min(0).max(1).describe('The share of MCP tools to detach.'),
  keep_tool_ids: ToolIds.default([]),
  newly_matched_tool_ids: ToolIds.default([]),
});
export type PruneRequest = z.infer<typeof PruneRequest>;

/** Body of `POST /api/v1/tools/search`. */
export const ToolSearchRequest = z.object({
  query: z.string().min(1).max(LIMITS.keywordPatternChars),
  limit: z.int().min(1).max(ATTACH_LIMITS.limit).default(10),
});

/** Response of `POST /api/v1/tools/search`, best tools first. */
export const ToolSearchResponse = z.array(
  z.object({
    id: z.string().nullable().describe('Null for a tool that is not registered yet.'),
    name: z.string(),
    description: z.string(),
    score: z.number().describe('0 to 100, comparable between requests.'),
    is_weak: z
      .literal(true)
      .optional()
      .describe('Present if no tool clearly fits the query: such tools are not attached.'),
  }),
);
export type ToolSearchResponse = z.infer<typeof ToolSearchResponse>;

/** Response of `GET /api/v1/tools`. */
export const KnownToolsResponse = z.array(
  z.object({
    id: z.string().nullable(),
    name: z.string(),
    description: z.string(),
    tool_type: z.string(),
    tags: z.array(z.string()),
    server: z.string().nullable().describe('The MCP server that provides the tool.'),
  }),
);
export type KnownToolsResponse = z.infer<typeof KnownToolsResponse>;
