import type { McpMood } from './mcp-mood.ts';

/** A tool as a server lists it; any value. */
export type ScriptedTool = Readonly<Record<string, unknown>>;

/** The behaviour of a scripted server; may change while it runs. */
export interface McpScript {
  mood: McpMood;
  tools: readonly ScriptedTool[];
  /** The revisions that it supports: a `legacy` server does not know `server/discover`. */
  readonly era: 'legacy' | 'modern' | 'both';
  readonly pageSize: number;
  /** Grants a token to this client, and requires it with every request. */
  readonly oauth?: { readonly clientId: string; readonly clientSecret: string; readonly token: string };
  /** Redirects every request to this address. */
  redirectTo?: string;
  /** Time to live of its lists; not sent in the old era. */
  ttlMs: number;
}

export interface McpMessage {
  readonly jsonrpc?: '2.0';
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
}

/** The server's reaction to a message: one response, several messages that end with the response, or none. */
export type McpAnswer = readonly McpMessage[] | 'nothing';

const MODERN = '2026-07-28';
const LEGACY = '2025-11-25';

/** Returns a script with defaults for all members that are not given. */
export function createMcpScript(parts: Partial<McpScript> = {}): McpScript {
  return { mood: 'well', tools: [scriptedTool('echo')], era: 'both', pageSize: 1_000, ttlMs: 0, ...parts };
}

/** A valid tool. */
export function scriptedTool(name: string, parts: ScriptedTool = {}): ScriptedTool {
  return { name, description: `Does ${name}.`, inputSchema: { type: 'object' }, ...parts };
}

/** Returns the server's response. `seen` is the secret part of the request, for servers that repeat it. */
export function answerMcp({ id, method, params = {} }: McpMessage, script: McpScript, seen = ''): McpAnswer {
  if (id === undefined || script.mood === 'hangs') return 'nothing';
  const isModern = method === 'server/discover' || MODERN === metaVersion(params);
  const result = (value: object) => [
    { jsonrpc: '2.0', id, result: { ...(isModern && { resultType: 'complete' }), ...value } } as McpMessage,
  ];
  const error = (code: number, message: string) => [
    { jsonrpc: '2.0', id, error: { code, message } } as McpMessage,
  ];
  if (isModern && script.era === 'legacy') return error(-32_601, 'Method not found');
  if (script.mood === 'tells_secrets' && method !== 'initialize' && method !== 'server/discover')
    return error(-32_000, `not with ${seen}`);
  const capabilities = { tools: { listChanged: true } };
  const serverInfo = { name: 'scripted', version: '1' };
  switch (method) {
    case 'server/discover':
      return result({
        supportedVersions: [MODERN],
        capabilities,
        serverInfo,
        ttlMs: 0,
        cacheScope: 'private',
      });
    case 'initialize':
      if (script.era === 'modern') return error(-32_601, 'Method not found');
      return result({ protocolVersion: legacyVersion(params), capabilities, serverInfo });
    case 'ping':
      return result({});
    case 'tools/list':
      return script.mood === 'no_list'
        ? result({ tools: 'none' })
        : result(listPage(script, params, isModern));
    case 'tools/call':
      return [...progressOf(params), ...callResult(params, result, error)];
    default:
      return error(-32_601, 'Method not found');
  }
}

/** Returns the client's version if it is an older one, as agents refuse a newer one than they know. */
function legacyVersion({ protocolVersion: asked }: Readonly<Record<string, unknown>>): string {
  return typeof asked === 'string' && asked < LEGACY ? asked : LEGACY;
}

function metaVersion(params: Readonly<Record<string, unknown>>): unknown {
  return (params._meta as Record<string, unknown> | undefined)?.['io.modelcontextprotocol/protocolVersion'];
}

function listPage(script: McpScript, params: Readonly<Record<string, unknown>>, isModern: boolean): object {
  const hints = isModern ? { ttlMs: script.ttlMs, cacheScope: 'private' } : {};
  const start = Number(params.cursor ?? 0);
  switch (script.mood) {
    case 'endless_pages':
      return { ...hints, tools: [scriptedTool(`endless_${start}`)], nextCursor: String(start + 1) };
    case 'repeated_cursor':
      return { ...hints, tools: [scriptedTool(`again_${start}`)], nextCursor: '1' };
    case 'huge_description':
      return {
        ...hints,
        tools: [...script.tools, scriptedTool('huge', { description: 'x'.repeat(5_000_000) })],
      };
    case 'huge_list':
      return {
        ...hints,
        tools: [scriptedTool(`huge_${start}`, { description: 'x'.repeat(2_000_000) })],
        nextCursor: String(start + 1),
      };
    case 'many_values':
      return {
        ...hints,
        tools: [scriptedTool('many', { inputSchema: { type: 'object', enum: Array(600_000).fill(0) } })],
      };
    case 'empty':
      return { ...hints, tools: [] };
    default: {
      const end = start + script.pageSize;
      const more = end < script.tools.length ? { nextCursor: String(end) } : {};
      return { ...hints, tools: script.tools.slice(start, end), ...more };
    }
  }
}

/**
 * Calls the tools: `fail` is refused, `ask` requires input first, and every other one returns its arguments;
 * `odd` returns them in an unknown form.
 */
function callResult(
  { name, arguments: args, inputResponses, requestState }: Readonly<Record<string, unknown>>,
  result: (value: object) => readonly McpMessage[],
  error: (code: number, message: string) => readonly McpMessage[],
): readonly McpMessage[] {
  if (name === 'fail') return error(-32_602, 'Unknown tool: fail');
  if (name === 'ask' && inputResponses === undefined) {
    return result({
      resultType: 'input_required',
      inputRequests: { who: { method: 'elicitation/create' } },
      requestState: 'state-1',
    });
  }
  const text = JSON.stringify({ name, args, inputResponses, requestState });
  return result({
    content: [{ type: 'text', text }, ...(name === 'odd' ? [{ type: 'not_known_yet', value: 1 }] : [])],
    structuredContent: { args },
    further: 'kept',
    isError: name === 'error',
  });
}

function progressOf({ _meta }: Readonly<Record<string, unknown>>): readonly McpMessage[] {
  const token = (_meta as Record<string, unknown> | undefined)?.progressToken;
  if (token === undefined) return [];
  return [1, 2].map((progress) => ({
    jsonrpc: '2.0' as const,
    method: 'notifications/progress',
    params: { progressToken: token, progress, total: 2 },
  }));
}

export const LIST_CHANGED: McpMessage = { jsonrpc: '2.0', method: 'notifications/tools/list_changed' };
