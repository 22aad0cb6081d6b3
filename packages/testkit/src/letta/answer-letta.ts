import type { LettaAgent, LettaMcpTool, LettaState, LettaTool, LettaToolRule } from './letta-state.ts';

/** A request to a Letta server. */
export interface LettaRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: unknown;
}

/** The response; `body` is JSON. */
export interface LettaResponse {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A route of the server, by the name that tests use. */
export type LettaRoute =
  | 'list_tools'
  | 'create_tool'
  | 'list_servers'
  | 'list_server_tools'
  | 'register_tool'
  | 'create_agent'
  | 'read_agent'
  | 'list_agent_tools'
  | 'attach'
  | 'detach'
  | 'message'
  | 'health'
  | 'other';

type Handle = (state: LettaState, request: LettaRequest, params: readonly string[]) => LettaResponse;

interface Entry {
  readonly route: LettaRoute;
  readonly method: string;
  readonly path: RegExp;
  readonly handle: Handle;
}

const UUID4 = '[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}';
const ID = { agent: new RegExp(`^agent-${UUID4}$`), tool: new RegExp(`^tool-${UUID4}$`) };

/** Relationships that an agent's state may include. */
const RELATIONSHIPS =
  /^agent\.(blocks|identities|managed_group|pending_approval|secrets|sources|tags|tools)$/;

/** The routes of Letta 0.16.8 that attaching tools needs, with that server's responses. */
const ENTRIES: readonly Entry[] = [
  {
    route: 'health',
    method: 'GET',
    path: /^\/v1\/health\/$/,
    handle: () => ok({ version: '0.16.8', status: 'ok' }),
  },
  { route: 'list_tools', method: 'GET', path: /^\/v1\/tools\/$/, handle: listTools },
  { route: 'create_tool', method: 'POST', path: /^\/v1\/tools\/$/, handle: createTool },
  {
    route: 'list_servers',
    method: 'GET',
    path: /^\/v1\/tools\/mcp\/servers$/,
    handle: ({ servers }) =>
      ok(Object.fromEntries([...servers.keys()].map((name) => [name, { server_name: name, type: 'stdio' }]))),
  },
  {
    route: 'list_server_tools',
    method: 'GET',
    path: /^\/v1\/tools\/mcp\/servers\/([^/]+)\/tools$/,
    handle: ({ servers }, _, [name]) => {
      const tools = servers.get(decodeURIComponent(name!));
      return tools ? ok(tools) : refusal(400, 'Argument mcp_server_id does not match type; is None');
    },
  },
  {
    route: 'register_tool',
    method: 'POST',
    path: /^\/v1\/tools\/mcp\/servers\/([^/]+)\/([^/]+)$/,
    handle: registerTool,
  },
  { route: 'create_agent', method: 'POST', path: /^\/v1\/agents\/$/, handle: createAgent },
  { route: 'read_agent', method: 'GET', path: /^\/v1\/agents\/([^/]+)$/, handle: readAgent },
  {
    route: 'list_agent_tools',
    method: 'GET',
    path: /^\/v1\/agents\/([^/]+)\/tools$/,
    handle: listAgentTools,
  },
  {
    route: 'attach',
    method: 'PATCH',
    path: /^\/v1\/agents\/([^/]+)\/tools\/attach\/([^/]+)$/,
    handle: attach,
  },
  {
    route: 'detach',
    method: 'PATCH',
    path: /^\/v1\/agents\/([^/]+)\/tools\/detach\/([^/]+)$/,
    handle: detach,
  },
  {
    route: 'message',
    method: 'POST',
    path: /^\/v1\/agents\/([^/]+)\/messages$/,
    handle: withAgent((_, agent, { body }) => {
      agent.messages.push(body);
      return ok({ messages: [] });
    }),
  },
];

/** Returns the route of a request. */
export function lettaRouteOf({ method, path }: Pick<LettaRequest, 'method' | 'path'>): LettaRoute {
  return entryOf(method, path)?.route ?? 'other';
}

/** Returns the real server's response, as far as known; 404 for everything else. */
export function answerLetta(state: LettaState, request: LettaRequest): LettaResponse {
  const { method, path } = request;
  const entry = entryOf(method, path);
  if (entry) return entry.handle(state, request, entry.path.exec(path)!.slice(1));
  // FastAPI redirects to the path with the slash.
  if (entryOf(method, `${path}/`)) return { status: 307, body: null, headers: { location: `${path}/` } };
  return refusal(404, 'Not Found');
}

function entryOf(method: string, path: string): Entry | undefined {
  return ENTRIES.find((entry) => entry.method === method && entry.path.test(path));
}

function listTools({ tools }: LettaState, { query }: LettaRequest): LettaResponse {
  const names = query.getAll('names');
  const ids = query.getAll('tool_ids').flatMap((text) => text.split(','));
  const found = [...tools.values()].filter(
    ({ id, name }) => (names.length === 0 || names.includes(name)) && (ids.length === 0 || ids.includes(id)),
  );
  const ordered = query.get('order') === 'asc' ? found : found.reverse();
  const from = ordered.findIndex(({ id }) => id === query.get('after')) + 1;
  return ok(ordered.slice(from, from + readLimit(query, 50)).map(toWire));
}

function createTool(state: LettaState, { body }: LettaRequest): LettaResponse {
  const { json_schema: schema, tags = [] } = (body ?? {}) as {
    json_schema?: { name?: string; description?: string };
    tags?: string[];
  };
  if (typeof schema?.name !== 'string') return refusal(422, [{ loc: ['body', 'json_schema'] }]);
  const { description = null } = schema;
  return ok(toWire(state.upsertTool(schema.name, { description, tags, json_schema: schema })));
}

function registerTool(state: LettaState, _: LettaRequest, params: readonly string[]): LettaResponse {
  const [server, name] = params.map(decodeURIComponent) as [string, string];
  const offered = state.servers.get(server);
  if (!offered) return refusal(400, `MCP server '${server}' not found`);
  const tool = offered.find((one) => one.name === name);
  // The server ignores the tool, and then fails without a reason.
  if (!tool) return refusal(500, 'An unknown error occurred');
  return ok(toWire(registered(state, server, tool)));
}

function registered(state: LettaState, server: string, tool: LettaMcpTool): LettaTool {
  const { name, description = null, inputSchema } = tool;
  return state.upsertTool(name, {
    tool_type: 'external_mcp',
    description,
    tags: [`mcp:${server}`],
    json_schema: { name, description, parameters: inputSchema ?? { type: 'object', properties: {} } },
  });
}

function createAgent(state: LettaState, { body }: LettaRequest): LettaResponse {
  const { tool_ids: ids = [], tool_rules: rules = [] } = (body ?? {}) as {
    tool_ids?: string[];
    tool_rules?: LettaToolRule[];
  };
  return ok(agentState(state, state.addAgent(ids, rules), true));
}

/** Without `include`, clients of SDK 1.0 and later receive no tools. */
function readAgent(state: LettaState, request: LettaRequest, params: readonly string[]): LettaResponse {
  const include = request.query.getAll('include');
  if (include.some((name) => !RELATIONSHIPS.test(name))) return refusal(422, [{ loc: ['query', 'include'] }]);
  const hasTools = include.length > 0 ? include.includes('agent.tools') : !isLaterClient(request);
  return withAgent((_, agent) => ok(agentState(state, agent, hasTools)))(state, request, params);
}

/** The cursors compare ids although the order is by creation, so pages lose and repeat tools. */
function listAgentTools(state: LettaState, request: LettaRequest, params: readonly string[]): LettaResponse {
  const { query } = request;
  const [after, before] = [query.get('after'), query.get('before')];
  return withAgent((_, agent) => {
    const tools = state
      .toolsOf(agent)
      .filter(({ id }) => (after === null || id > after) && (before === null || id < before));
    const ordered = query.get('order') === 'asc' ? tools : tools.reverse();
    return ok(ordered.slice(0, readLimit(query, 10)).map(toWire));
  })(state, request, params);
}

function attach(state: LettaState, request: LettaRequest, params: readonly string[]): LettaResponse {
  const id = params[1]!;
  if (!ID.tool.test(id)) return malformed('tool');
  return withAgent((_, agent) => {
    const tool = state.tools.get(id);
    if (!tool) return refusal(404, `Tool with id=${id} not found in organization`);
    agent.attached.add(id);
    const hasRule = agent.rules.some(
      (rule) => rule.tool_name === tool.name && rule.type === 'requires_approval',
    );
    if (tool.default_requires_approval && !hasRule)
      agent.rules.push({ tool_name: tool.name, type: 'requires_approval' });
    return ok(isLaterClient(request) ? null : agentState(state, agent, true));
  }, 'Agent not found')(state, request, params);
}

/** Responds with 200 whether or not the tool exists or was attached. */
function detach(state: LettaState, request: LettaRequest, params: readonly string[]): LettaResponse {
  const id = params[1]!;
  if (!ID.tool.test(id)) return malformed('tool');
  return withAgent((_, agent) => {
    agent.attached.delete(id);
    return ok(isLaterClient(request) ? null : agentState(state, agent, true));
  }, 'Agent not found')(state, request, params);
}

function withAgent(
  answer: (state: LettaState, agent: LettaAgent, request: LettaRequest) => LettaResponse,
  missing?: string,
): Handle {
  return (state, request, [id]) => {
    if (!ID.agent.test(id!)) return malformed('agent');
    const agent = state.agents.get(id!);
    return agent ? answer(state, agent, request) : refusal(404, missing ?? `Agent with ID ${id} not found`);
  };
}

function agentState(state: LettaState, agent: LettaAgent, hasTools: boolean) {
  return {
    id: agent.id,
    name: 'agent',
    tool_rules: agent.rules,
    tools: hasTools ? state.toolsOf(agent).map(toWire) : [],
  };
}

function toWire(tool: LettaTool) {
  return { ...tool, source_type: 'python', source_code: null, return_char_limit: 50_000, metadata_: {} };
}

function isLaterClient({ headers }: LettaRequest): boolean {
  return headers['x-stainless-package-version'] !== undefined || headers['user-agent'] === undefined;
}

function readLimit(query: URLSearchParams, fallback: number): number {
  return Number(query.get('limit') ?? fallback);
}

function ok(body: unknown): LettaResponse {
  return { status: 200, body };
}

function refusal(status: number, detail: unknown): LettaResponse {
  return { status, body: { detail } };
}

function malformed(kind: 'agent' | 'tool'): LettaResponse {
  const detail = `[{'type': 'string_pattern_mismatch', 'loc': ('path', '${kind}_id')}]`;
  return { status: 422, body: { trace_id: '', detail } };
}
