import {
  AddServerRequest,
  ApproveRequest,
  type ApproveResponse,
  ChangeServerRequest,
  type PendingTool,
  type RemoveServerResponse,
  type ServerListResponse,
  type ServerResponse,
  type ToolListResponse,
} from '@winnow/core';
import {
  readEntry,
  type ServerAdministration,
  type ServerEntry,
  ServerProblem,
  type ServerState,
} from '@winnow/mcp';
import { isNamespace, parseToolId } from '@winnow/registry';
import { jsonResponse, overloaded } from '@winnow/service';
import type { RegistryCall, RegistryRoute } from '../http/registry-route.ts';
import { RegistryError, unwrap } from '../registry-error.ts';
import { sourceReading, type TenantServers } from '../servers/tenant-servers.ts';
import { readPage, toListed } from './contract.ts';

export interface ServersContext {
  readonly servers: TenantServers;
}

const SERVERS_PATH = '/v1/registry/servers';
const SERVER_PATH = '/v1/registry/servers/{name}';

/** A server as sent in a request: the source of an entry. */
type Source = Readonly<Record<string, unknown>>;

type AnyCall = Pick<RegistryCall<unknown>, 'caller' | 'params'>;

/** `GET /v1/registry/servers`: how each server is. */
export function serversRoute({ servers }: ServersContext): RegistryRoute<undefined> {
  return {
    name: 'servers',
    path: SERVERS_PATH,
    right: 'read',
    body: undefined,
    async handle(call) {
      const states = administration(servers, call)
        .states()
        .filter((state) => isInSight(state, call));
      return jsonResponse({
        servers: states.map((state) => toResponse(state, call, servers)),
      } satisfies ServerListResponse);
    },
  };
}

/** `POST /v1/registry/servers`: adds a server behind an address. It is read in the background. */
export function addServerRoute({ servers }: ServersContext): RegistryRoute<typeof AddServerRequest> {
  return {
    name: 'add_server',
    path: SERVERS_PATH,
    right: 'servers',
    body: AddServerRequest,
    async handle(call) {
      const { name, ...source } = call.body;
      const entry = readSource(name, source, call);
      checkName(entry, call);
      checkSharing(source, call);
      const kept = administration(servers, call);
      const existing = kept.state(name);
      if (existing !== undefined) {
        if (!isInSight(existing, call))
          throw new RegistryError('forbidden', 'This token may not use that name.');
        throw new RegistryError('server_exists', 'There is a server of that name already.');
      }
      await kept.put(entry, source);
      return jsonResponse(toResponse(stateOf(kept, name), call, servers));
    },
  };
}

/** `GET /v1/registry/servers/{name}`. */
export function serverRoute({ servers }: ServersContext): RegistryRoute<undefined> {
  return {
    name: 'server',
    path: SERVER_PATH,
    right: 'read',
    body: undefined,
    handle: async (call) => jsonResponse(toResponse(find(servers, call).state, call, servers)),
  };
}

/** `PATCH /v1/registry/servers/{name}`: other values for some keys; `null` takes a key away. */
export function changeServerRoute({ servers }: ServersContext): RegistryRoute<typeof ChangeServerRequest> {
  return {
    name: 'change_server',
    path: SERVER_PATH,
    right: 'servers',
    body: ChangeServerRequest,
    async handle(call) {
      const { kept, state } = findAdded(servers, call);
      const before = kept.sourceOf(state.name) as Source;
      const source = merge(before, call.body);
      const entry = readSource(state.name, source, call);
      checkSharing(call.body, call);
      checkSecrets(readSource(state.name, before, call), entry, call.body);
      await kept.put(entry, source);
      return jsonResponse(toResponse(stateOf(kept, state.name), call, servers));
    },
  };
}

/** `DELETE /v1/registry/servers/{name}`: removes a server and its tools. */
export function removeServerRoute({ servers }: ServersContext): RegistryRoute<undefined> {
  return {
    name: 'remove_server',
    path: SERVER_PATH,
    right: 'servers',
    body: undefined,
    async handle(call) {
      const { kept, state } = findAdded(servers, call);
      await kept.remove(state.name).catch(refuse);
      return jsonResponse({ removed: true } satisfies RemoveServerResponse);
    },
  };
}

/** `POST /v1/registry/servers/{name}/refresh`: reads its list now, and responds when that is done. */
export function refreshServerRoute({ servers }: ServersContext): RegistryRoute<undefined> {
  return {
    name: 'refresh_server',
    path: `${SERVER_PATH}/refresh`,
    right: 'servers',
    body: undefined,
    async handle(call) {
      const { kept, state } = find(servers, call);
      if (state.status === 'disabled') throw new RegistryError('invalid_request', 'The server is disabled.');
      await kept.refresh(state.name).catch(refuse);
      return jsonResponse(toResponse(kept.state(state.name) ?? state, call, servers));
    },
  };
}

/** `GET /v1/registry/servers/{name}/tools`: its tools, by id. */
export function serverToolsRoute({ servers }: ServersContext): RegistryRoute<undefined> {
  return {
    name: 'server_tools',
    path: `${SERVER_PATH}/tools`,
    right: 'read',
    body: undefined,
    async handle(call) {
      const { state } = find(servers, call);
      const page = unwrap(await call.registry.list({ servers: [state.name] }, readPage(call.query)));
      return jsonResponse({
        tools: page.rows.map((row) => toListed(row, undefined)),
        ...(page.nextCursor !== undefined && { next_cursor: page.nextCursor }),
        version: page.version,
      } satisfies ToolListResponse);
    },
  };
}

/** `POST /v1/registry/servers/{name}/approve`: approves changed definitions. */
export function approveRoute({ servers }: ServersContext): RegistryRoute<typeof ApproveRequest> {
  return {
    name: 'approve',
    path: `${SERVER_PATH}/approve`,
    right: 'servers',
    body: ApproveRequest,
    async handle(call) {
      const { kept, state } = find(servers, call);
      const wanted = call.body.tools && new Map(call.body.tools.map(({ id, after }) => [id, after]));
      const approved = await kept.approve(state.name, wanted).catch(refuse);
      return jsonResponse({
        approved: [...approved],
        pending: pendingOf(kept.state(state.name) ?? state),
      } satisfies ApproveResponse);
    },
  };
}

function administration(servers: TenantServers, { caller }: AnyCall): ServerAdministration {
  const kept = servers.administrationOf(caller.tenant);
  if (kept !== undefined) return kept;
  throw overloaded('The registry is starting.');
}

/** A server that the caller may see; another one is treated as none. */
function find(servers: TenantServers, call: AnyCall): { kept: ServerAdministration; state: ServerState } {
  const kept = administration(servers, call);
  const state = stateOf(kept, call.params.name!);
  if (isInSight(state, call)) return { kept, state };
  throw new RegistryError('not_found', NO_SERVER);
}

const NO_SERVER = 'There is no such server.';

function stateOf(kept: ServerAdministration, name: string): ServerState {
  const state = kept.state(name);
  if (state !== undefined) return state;
  throw new RegistryError('not_found', NO_SERVER);
}

/** A server that was added over HTTP, and can be changed that way. */
function findAdded(servers: TenantServers, call: AnyCall) {
  const found = find(servers, call);
  if (!servers.isConfigured(call.caller.tenant, found.state.name)) return found;
  throw new RegistryError(
    'invalid_request',
    'The server comes from the configuration file: change it there.',
  );
}

function isInSight({ namespace }: Pick<ServerState, 'namespace'>, { caller }: AnyCall): boolean {
  return caller.sight === undefined || caller.sight.sees(namespace);
}

function readSource(name: string, source: unknown, call: AnyCall): ServerEntry {
  const outcome = readEntry(name, source, '', sourceReading(call.caller.tenant));
  if (!outcome.ok) {
    const details = outcome.problems.map(({ path, message }) => ({
      path: path.replace(/^\./, '') || 'name',
      message: `It ${message}.`,
    }));
    const [first] = details;
    throw new RegistryError('invalid_request', `${first!.path}: ${first!.message}`, { details });
  }
  if (isInSight(outcome.entry, call)) return outcome.entry;
  throw new RegistryError('forbidden', 'This token may not change that namespace.');
}

/** https://www.rfc-editor.org/rfc/rfc7396, one level deep. */
function merge(source: Source, change: Source): Source {
  const merged = { ...source, ...change };
  return Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== null));
}

/**
 * Throws when stored secrets would be sent to another address than the one that they were given for: secrets cannot be
 * read, and must not be learnt this way.
 */
function checkSecrets(before: ServerEntry, after: ServerEntry, change: Source): void {
  const [old, next] = [before.transport, after.transport];
  if (old.type !== 'http' || next.type !== 'http' || old.url === next.url) return;
  const kept = [
    ...(Object.keys(old.headers).length > 0 && !Object.hasOwn(change, 'headers') ? ['headers'] : []),
    ...(old.auth !== undefined && !Object.hasOwn(change, 'auth') ? ['auth'] : []),
  ];
  if (kept.length === 0) return;
  const message =
    'The address changes, so this must be sent again, or as null: stored secrets stay with their address.';
  throw new RegistryError('invalid_request', `${kept[0]}: ${message}`, {
    details: kept.map((path) => ({ path, message })),
  });
}

/** Throws when a caller with a limited sight opens a server to other namespaces. */
function checkSharing(body: Source, { caller }: AnyCall): void {
  if (!seesAll(caller) && Object.hasOwn(body, 'share_with'))
    throw new RegistryError('forbidden', 'A token that is limited to namespaces may not set share_with.');
}

/**
 * Throws if a name could be that of a server that the caller cannot see: whether it is taken would reveal that
 * server. Names of the form `NAMESPACE:name` belong to servers of that namespace.
 */
function checkName({ name, namespace }: ServerEntry, { caller }: AnyCall): void {
  const [owner, rest] = [name.slice(0, Math.max(0, name.indexOf(':'))), name.includes(':')];
  const isQualified = rest && owner === namespace && namespace !== '';
  if (!seesAll(caller) && !isQualified) {
    const example = JSON.stringify(`${namespace || 'team'}:name`);
    throw new RegistryError(
      'forbidden',
      `A token that is limited to namespaces must begin the names of its servers with one of them, such as ${example}.`,
    );
  }
  if (rest && isNamespace(owner) && !isQualified) {
    throw new RegistryError('invalid_request', `name: It is for a server of the namespace ${owner}.`);
  }
}

function seesAll({ sight }: RegistryCall<unknown>['caller']): boolean {
  return sight === undefined || sight.key === '';
}

function refuse(error: unknown): never {
  if (!(error instanceof ServerProblem)) throw error;
  if (error.code === 'limit_exceeded') throw new RegistryError('limit_exceeded', error.message);
  if (error.code === 'not_stored') throw new RegistryError('storage_unavailable', error.message);
  throw new RegistryError(
    'server_unreachable',
    `The server could not be read (${error.code}). ${error.message}`,
  );
}

/** Most tools that are named as refused. */
const MAX_REFUSED = 100;

function toResponse(
  state: ServerState,
  call: Pick<RegistryCall<unknown>, 'caller' | 'params' | 'registry'>,
  servers: TenantServers,
): ServerResponse {
  const { caller, registry } = call;
  const { lastRefresh, lastError, staleSince } = state;
  return {
    name: state.name,
    transport: state.transport,
    source: servers.isConfigured(caller.tenant, state.name) ? 'file' : 'http',
    state: state.status,
    ...(state.era && { era: state.era }),
    ...(state.protocolVersion !== undefined && { protocol_version: state.protocolVersion }),
    namespace: state.namespace,
    tools: state.tools,
    prompts: state.prompts,
    resources: state.resources,
    resource_templates: state.templates,
    ...(lastRefresh !== undefined && { last_refresh: toTime(lastRefresh) }),
    ...(lastError && { last_error: { ...lastError, at: toTime(lastError.at) } }),
    ...(staleSince !== undefined && { stale_since: toTime(staleSince) }),
    trust: state.trustsAnnotations ? 'annotations' : 'none',
    pin: state.isPinned,
    isolation: state.isolation,
    processes: state.processes,
    pending: pendingOf(state),
    diverged: [...state.diverged],
    refused: administration(servers, call)
      .refused(state.name)
      .filter(({ id }) => registry.sees(parseToolId(id)?.namespace ?? ''))
      .slice(0, MAX_REFUSED)
      .map((one) => ({ ...one })),
    left_out: state.leftOut.map((one) => ({ ...one })),
  };
}

function pendingOf({ pending }: ServerState): PendingTool[] {
  return pending.map(({ id, before, after, changed }) => ({
    id,
    ...(before !== undefined && { before }),
    after,
    changed: [...changed],
  }));
}

function toTime(ms: number): string {
  return new Date(ms).toISOString();
}
