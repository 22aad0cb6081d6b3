import { z } from 'zod';

const time = (description: string) => z.string().optional().describe(`${description} ISO 8601, in UTC.`);

/** A definition that differs from the one that was approved. */
export const PendingTool = z.object({
  id: z.string(),
  before: z.string().describe('Digest of the definition that was approved.'),
  after: z.string().describe('Digest of the one that waits.'),
  changed: z.array(z.string()).describe('Fields that differ; empty when the tool was gone meanwhile.'),
});
export type PendingTool = z.infer<typeof PendingTool>;

/** How an MCP server is. */
export const ServerResponse = z.object({
  name: z.string(),
  transport: z.enum(['stdio', 'http']),
  source: z.enum(['file', 'http']).describe('Of the configuration file, or added over HTTP.'),
  state: z.enum(['disabled', 'connecting', 'up', 'down']),
  era: z.enum(['legacy', 'modern']).optional().describe('`modern` is revision 2026-07-28 and later.'),
  protocol_version: z.string().optional(),
  namespace: z.string().describe('Empty for none.'),
  tools: z.int().min(0),
  last_refresh: time('When its list was last read to the end.'),
  last_error: z
    .object({ code: z.string(), message: z.string(), at: z.string() })
    .optional()
    .describe('Why the last attempt failed; missing after one that did not.'),
  stale_since: time('Since when its tools may no longer be what it has.'),
  trust: z.enum(['none', 'annotations']),
  pin: z.boolean(),
  pending: z.array(PendingTool).describe('Changed definitions that wait for approval.'),
  diverged: z.array(z.string()).describe('Ids of tools that other backends define otherwise.'),
  left_out: z
    .array(z.object({ tool: z.string(), reason: z.string() }))
    .describe('Tools of its list that were not taken over; at most 100.'),
});
export type ServerResponse = z.infer<typeof ServerResponse>;

/** Response of `GET /v1/registry/servers`. */
export const ServerListResponse = z.object({
  servers: z.array(ServerResponse).describe('By name.'),
});
export type ServerListResponse = z.infer<typeof ServerListResponse>;

/** Body of `POST /v1/registry/servers`: a server as a configuration file has it, behind an address. What is wrong with it is told by its path. */
export const AddServerRequest = z.looseObject({
  name: z.string().describe('1 to 128 characters.'),
  url: z.unknown().optional().describe('Its address, which begins with https:// or http://.'),
});

/** Body of `PATCH /v1/registry/servers/{name}`: keys that get another value, or `null` to lose theirs. */
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
            'The digest that was looked at: a definition that is another one by now is not approved.',
          ),
      }),
    )
    .max(5_000)
    .optional()
    .describe('All that wait when it is missing.'),
});

/** Response of `POST /v1/registry/servers/{name}/approve`. */
export const ApproveResponse = z.object({
  approved: z.array(z.string()).describe('Ids of tools whose definitions were taken over.'),
  pending: z.array(PendingTool),
});
export type ApproveResponse = z.infer<typeof ApproveResponse>;

/** Response of a request that removes a server. */
export const RemoveServerResponse = z.object({ removed: z.literal(true) });
export type RemoveServerResponse = z.infer<typeof RemoveServerResponse>;
