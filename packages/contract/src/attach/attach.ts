import { z } from 'zod';
import { LIMITS } from '../limits.ts';

/** Bounds of requests. */
export const ATTACH_LIMITS = {
  /** Largest `limit` that can be configured. */
  limit: 100,
  keepTools: 1_000,
  idempotencyKeyChars: 255,
} as const;

const ID = /^(agent-)?[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** An agent's id as Letta writes it: `agent-` and a UUID in lower case. A bare UUID is taken as well. */
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
    .describe('What the agent is about to do. Without one, nothing is changed.'),
  limit: z
    .int()
    .min(1)
    .max(ATTACH_LIMITS.limit)
    .optional()
    .describe('Most tools to look at; 10 when it is missing, and at most FIND_TOOLS_MAX_LIMIT.'),
  min_score: z
    .number()
    .min(0)
    .max(100)
    .default(35)
    .describe('Tools with a lower match_score are not attached.'),
  keep_tools: ToolIds.default([]).describe('Ids of tools that are not detached.'),
  auto_prune: z.boolean().default(true).describe('Prune once more at the end.'),
  skip_loop_trigger: z
    .boolean()
    .default(true)
    .describe("Whether the agent's loop is left alone; false sends it a message afterwards."),
  dry_run: z.boolean().default(false).describe('Say what would be done, and do nothing.'),
  plan_id: z
    .string()
    .max(64)
    .optional()
    .describe('Do what a dry run has said, if the tools of the agent are still the same.'),
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

/** What has become of a request. */
export const AttachDetails = z.object({
  detached_tools: z.array(z.string()).describe('Ids of all that was taken away, pruned ones too.'),
  failed_detachments: z.array(z.string()),
  processed_count: z.int().describe('Tools that were looked at.'),
  passed_filter_count: z.int().describe('Those that have at least `min_score`.'),
  success_count: z.int(),
  failure_count: z.int(),
  successful_attachments: z.array(AttachedTool),
  failed_attachments: z.array(FailedTool),
  preserved_tools: z.array(z.string()).describe('`keep_tools` as given, then what another protection kept.'),
  target_agent: z.string(),
  already_attached: z.array(z.string()).describe('Ids of what matched and was there before.'),
  pruned_before: z.array(z.string()).describe('Ids of what made room.'),
  pruned_after: z.array(z.string()),
  warnings: z.array(AttachWarning),
  limits: z.object({ total: z.int(), mcp: z.int(), before: z.int(), after: z.int() }),
  dry_run: z.boolean(),
  plan_id: z.string().optional(),
  loop_triggered: z.boolean(),
});

/** Response of `POST /api/v1/tools/attach` and of `POST /api/v1/tools/prune`. */
export const AttachResponse = z.object({
  success: z
    .boolean()
    .describe('False when tools passed and none could be attached, or when the agent got back what it had.'),
  message: z.string(),
  details: AttachDetails,
});
export type AttachResponse = z.infer<typeof AttachResponse>;

/** Body of `POST /api/v1/tools/prune`. */
export const PruneRequest = z.object({
  agent_id: AgentId,
  user_prompt: z.string().min(1).max(LIMITS.keywordPatternChars),
  drop_rate: z.number().min(0).max(1).describe('The share of MCP tools to take away.'),
  keep_tool_ids: ToolIds.default([]),
  newly_matched_tool_ids: ToolIds.default([]),
});
export type PruneRequest = z.infer<typeof PruneRequest>;

/** Body of `POST /api/v1/tools/search`. */
export const ToolSearchRequest = z.object({
  query: z.string().min(1).max(LIMITS.keywordPatternChars),
  limit: z.int().min(1).max(ATTACH_LIMITS.limit).default(10),
});

/** Response of `POST /api/v1/tools/search`: best first. */
export const ToolSearchResponse = z.array(
  z.object({
    id: z.string().nullable().describe('Null for a tool that is not registered yet.'),
    name: z.string(),
    description: z.string(),
    score: z.number().describe('0 to 100, comparable between requests.'),
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
    server: z.string().nullable().describe('The MCP server that it comes from.'),
  }),
);
export type KnownToolsResponse = z.infer<typeof KnownToolsResponse>;
