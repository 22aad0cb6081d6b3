import { z } from 'zod';

const time = (description: string) => z.string().optional().describe(`${description} ISO 8601, in UTC.`);

/** A definition that differs from the approved one. */
export const PendingTool = z.object({
  id: z.string(),
  before: z.string().optional().describe('Digest of the approved definition; absent for a new tool.'),
  after: z.string().describe('Digest of the definition that awaits approval.'),
  changed: z.array(z.string()).describe('Fields that differ; empty if the tool was absent in between.'),
});
export type PendingTool = z.infer<typeof PendingTool>;

/** The state of an MCP server. */
export const ServerResponse = z.object({
  name: z.string(),
  transport: z.enum(['stdio', 'http']),
  source: z.enum(['file', 'http']).describe('From the configuration file, or added over HTTP.'),
  state: z.enum(['disabled', 'connecting', 'up', 'down']),
  era: z.enum(['legacy', 'modern']).optional().describe('`modern` is revision 2026-07-28 and later.'),
  protocol_version: z.string().optional(),
  namespace: z.string().describe('Empty for none.'),
  tools: z.int().min(0),
  prompts: z.int().min(0).describe('Prompts that the front door relays.'),
  resources: z.int().min(0).describe('Resources that the front door relays.'),
  resource_templates: z.int().min(0).describe('Templates of resources that the front door relays.'),
  last_refresh: time('The last time its list was read completely.'),
  last_error: z
    .object({ code: z.string(), message: z.string(), at: z.string() })
    .optional()
    .describe('The reason for the failure of the last attempt; absent after a success.'),
  stale_since: time('The time since which its tools may be out of date.'),
  trust: z.enum(['none', 'annotations']),
  pin: z.boolean(),
  isolation: z
    .enum(['none', 'token', 'session'])
    .describe('Callers share its state, or have a process or session of their own.'),
  processes: z.int().min(0).describe('Processes or sessions that are open for single callers.'),
  pending: z.array(PendingTool).describe('Changed and new definitions that await approval.'),
  diverged: z.array(z.string()).describe('Ids of tools that other backends define differently.'),
  refused: z
    .array(
      z.object({
        id: z.string(),
        reason: z.enum(['not_shared', 'excluded', 'not_listed', 'awaits_approval']),
      }),
    )
    .describe('Registered tools that are not called on it; at most 100.'),
  left_out: z
    .array(z.object({ tool: z.string(), reason: z.string() }))
    .describe('Entries of its lists that were rejected, and lists that could not be read; at most 100.'),
});
export type ServerResponse = z.infer<typeof ServerResponse>;

/** Response of `GET /v1/registry/servers`. */
export const ServerListResponse = z.object({
  servers: z.array(ServerResponse).describe('By name.'),
});
export type ServerListResponse = z.infer<typeof ServerListResponse>;

/**
 * Body of `POST /v1/registry/servers`: a server with a URL, as in a configuration file. Problems are reported
 * by their paths.
 */
export const AddServerRequest = z.looseObject({
  name: z.string().describe('1 to 128 characters.'),
  url: z.unknown().optional().describe("The server's address, which begins with https:// or http://."),
});

/** Body of `PATCH /v1/registry/servers/{name}`: settings to change, or `null` to remove one. */
export const ChangeServerRequest = z.record(z.string(), z.unknown());

/** Body of `POST /v1/registry/servers/{name}/approve`. */
export const ApproveRequest = z.object({
  tools: z
    .array(
      z.object({
        id: z.string(),
        after: z
          .string()
          .optional()
          .describe(
            'The digest of the reviewed definition: a definition that has changed since is not approved.',
          ),
      }),
    )
    .max(5_000)
    .optional()
    .describe('Without it, all pending definitions are approved.'),
});

/** Response of `POST /v1/registry/servers/{name}/approve`. */
export const ApproveResponse = z.object({
  approved: z.array(z.string()).describe('Ids of tools whose definitions were approved.'),
  pending: z.array(PendingTool),
});
export type ApproveResponse = z.infer<typeof ApproveResponse>;

/** Response of a request that removes a server. */
export const RemoveServerResponse = z.object({ removed: z.literal(true) });
export type RemoveServerResponse = z.infer<typeof RemoveServerResponse>;
