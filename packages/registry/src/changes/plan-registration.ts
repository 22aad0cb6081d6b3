import type { Sight } from '../content/tool-filter.ts';
import { REGISTRY_LIMITS, type RegistryLimits } from '../limits.ts';
import { checkRegistration, normalizeTags } from '../model/check-registration.ts';
import { isSameJson } from '../model/json.ts';
import {
  type Backend,
  createStoredTool,
  definitionOf,
  isSameBackend,
  MCP_FIELDS,
  type McpTool,
  type Registration,
  type StoredTool,
} from '../model/tool.ts';
import { formatToolId } from '../model/tool-names.ts';
import { type Outcome, type Problem, refuse, refuseAll } from '../problem.ts';
import { LayeredBase, type PlannedChange, type PlannedEvent, type ToolBase } from './change-history.ts';
import { keptExamples } from './plan-examples.ts';

/** The effect of a registration on its tool. */
export type Effect = 'registered' | 'updated' | 'unchanged';

/**
 * Ways to treat a registration whose MCP fields differ from those of a tool with the same id and no other backend:
 * refuse it as `tool_conflict`, or replace the tool.
 */
export type OnDifference = 'refuse' | 'replace';

/** The plan of a batch of registrations. */
interface RegistrationPlan {
  readonly change: PlannedChange;
  /** The effect of each registration, in order. */
  readonly effects: readonly { readonly id: string; readonly effect: Effect }[];
}

/** Limits and rights of a registration. */
export interface RegistrationBounds {
  readonly limits: RegistryLimits;
  readonly onDifference: OnDifference;
  /** Whether the caller may change a namespace. */
  readonly mayChange: (namespace: string) => boolean;
  /** Returns why the caller may not name a server as the backend of a tool. */
  readonly refuseServer: (named: NamedServer) => ReturnType<typeof refuseServer>;
}

/** Returns the ids that a batch may change; invalid registrations change none. */
export function touchedIds(batch: readonly unknown[]): readonly string[] {
  const sound = batch.filter((value) => checkRegistration(value, '').length === 0) as Registration[];
  return sound.map(idOf);
}

/**
 * Plans the registration of a whole batch, or returns a refusal that lists every problem by position.
 *
 * Each registration builds on the earlier ones of its batch. Registrations that change no field are not part of the
 * change. Pure.
 */
export function planRegistration(
  batch: readonly unknown[],
  base: ToolBase,
  bounds: RegistrationBounds,
): Outcome<RegistrationPlan> {
  if (batch.length === 0) return refuse('invalid_request', 'There must be at least one tool.', 'tools');
  if (batch.length > REGISTRY_LIMITS.batchTools) {
    return refuse(
      'limit_exceeded',
      `One change may have at most ${REGISTRY_LIMITS.batchTools} tools.`,
      'tools',
    );
  }
  const layer = new LayeredBase(base);
  const problems: Problem[] = [];
  const events: PlannedEvent[] = [];
  const effects: { id: string; effect: Effect }[] = [];
  for (const [position, value] of batch.entries()) {
    if (problems.length >= REGISTRY_LIMITS.problems) break;
    const path = `tools.${position}`;
    const found = problemsOf(value, path, bounds);
    if (found.length > 0) {
      problems.push(...found);
      continue;
    }
    const registration = value as Registration;
    const next = planOne(registration, layer, bounds, path);
    if (!next.ok) {
      problems.push(...next.problems);
      continue;
    }
    const { tool, effect } = next;
    effects.push({ id: tool.id, effect });
    if (effect === 'unchanged') continue;
    layer.put(tool);
    events.push({
      type: effect === 'registered' ? 'tool_registered' : 'tool_updated',
      id: tool.id,
      backend: registration.backend,
    });
  }
  if (problems.length > 0) return refuseAll(problems.slice(0, REGISTRY_LIMITS.problems));
  const upserts = [...layer.changes().values()].filter((tool) => tool !== undefined);
  return { ok: true, change: { upserts, removals: [], events }, effects };
}

function problemsOf(
  value: unknown,
  path: string,
  { mayChange, refuseServer }: RegistrationBounds,
): readonly Problem[] {
  const problems = checkRegistration(value, path);
  if (problems.length > 0) return problems;
  const { namespace = '', backend } = value as Registration;
  // Checked before the content is read, so the refusal does not reveal whether the tool exists.
  if (!mayChange(namespace)) {
    const message = 'This token may not change that namespace.';
    return [{ code: 'forbidden', path: `${path}.namespace`, message }];
  }
  if (backend.kind !== 'mcp') return [];
  const refused = refuseServer({ server: backend.server, namespace });
  return refused === undefined ? [] : [{ ...refused, path: `${path}.backend.server` }];
}

function planOne(
  registration: Registration,
  base: ToolBase,
  bounds: RegistrationBounds,
  path: string,
): Outcome<{ tool: StoredTool; effect: Effect }> {
  const existing = base.get(idOf(registration));
  if (existing === undefined) {
    const { tools } = bounds.limits;
    if (base.toolCount >= tools) {
      return refuse('limit_exceeded', `There may be at most ${tools} tools.`, path);
    }
    return { ok: true, tool: toStored(registration), effect: 'registered' };
  }
  const conflict = findConflict(existing, registration, bounds.onDifference);
  if (conflict !== undefined) return refuse('tool_conflict', conflict, path);
  const isKnownBackend = existing.backends.some((backend) => isSameBackend(backend, registration.backend));
  if (!isKnownBackend && existing.backends.length >= REGISTRY_LIMITS.backends) {
    const message = `A tool may have at most ${REGISTRY_LIMITS.backends} backends.`;
    return refuse('limit_exceeded', message, `${path}.backend`);
  }
  const tool = toStored(registration, existing);
  return { ok: true, tool, effect: tool.contentHash === existing.contentHash ? 'unchanged' : 'updated' };
}

/** Describes a conflict with the registered definition; a tool's only backend may change it where that is allowed. */
function findConflict(
  existing: StoredTool,
  { tool, backend }: Registration,
  onDifference: OnDifference,
): string | undefined {
  const isOnly = existing.backends.every((known) => isSameBackend(known, backend));
  if (isOnly && onDifference === 'replace') return undefined;
  const known: McpTool = definitionOf(existing);
  const fields = MCP_FIELDS.filter((field) => !isSameJson(known[field], tool[field]));
  if (fields.length === 0) return undefined;
  return isOnly
    ? `${existing.id} is registered with a different ${fields.join(', ')}; "replace" would replace it.`
    : `Another backend registered ${existing.id} with a different ${fields.join(', ')}.`;
}

function idOf({ namespace = '', tool }: Registration): string {
  return formatToolId({ namespace, name: tool.name });
}

/** Creates the stored tool; an existing one keeps the order of its backends. */
function toStored(registration: Registration, existing?: StoredTool): StoredTool {
  const { namespace = '', tool, tags = [], version, backend } = registration;
  const known = existing?.backends ?? [];
  const isKnown = known.some((one) => isSameBackend(one, backend));
  const backends = isKnown ? known : [...known, backend];
  return createStoredTool({
    namespace,
    tool,
    tags: normalizeTags(tags),
    version,
    backends,
    examples: existing === undefined ? [] : keptExamples(existing, tool),
    prefix: existing?.prefix,
    hasTrustedAnnotations: !backends.some(isOnServer) || keepsTrust(existing, tool),
  });
}

/** Whether a server's own list already gave these annotations; for a tool on a server, a registration cannot vouch. */
function keepsTrust(existing: StoredTool | undefined, { annotations = {} }: McpTool): boolean {
  if (existing === undefined || !existing.backends.some(isOnServer)) return false;
  return existing.hasTrustedAnnotations && isSameJson(existing.annotations, annotations);
}

function isOnServer({ kind }: Registration['backend']): boolean {
  return kind === 'mcp';
}

/** The tool or backend to remove. */
interface Removal {
  readonly id: string;
  readonly backend?: Backend;
}

/**
 * Plans the removal of a tool or one of its backends. Removing the last backend removes the tool. Pure.
 *
 * A tool that is missing or out of the caller's sight is `not_found`.
 */
export function planRemoval(
  { id, backend }: Removal,
  base: ToolBase,
  maySee: (namespace: string) => boolean,
): Outcome<{ change: PlannedChange }> {
  const tool = base.get(id);
  if (tool === undefined || !maySee(tool.namespace)) return refuse('not_found', 'There is no such tool.');
  if (backend === undefined) {
    return { ok: true, change: { upserts: [], removals: [id], events: [{ type: 'tool_removed', id }] } };
  }
  const rest = tool.backends.filter((known) => !isSameBackend(known, backend));
  if (rest.length === tool.backends.length) return refuse('not_found', 'The tool has no such backend.');
  const type = rest.length === 0 ? 'tool_removed' : 'backend_removed';
  const events = [{ type, id, backend }] as const;
  if (rest.length === 0) return { ok: true, change: { upserts: [], removals: [id], events } };
  return { ok: true, change: { upserts: [withBackends(tool, rest)], removals: [], events } };
}

function withBackends(tool: StoredTool, backends: readonly Backend[]): StoredTool {
  return createStoredTool({ ...tool, tool: definitionOf(tool), backends });
}

/** The terms on which tools may be registered and called on an MCP server. */
export interface ServerTerms {
  /** The server's own namespace: a caller who sees it has a right on the server. Empty for none. */
  readonly namespace: string;
  /** Whether the operator lets tools of another namespace go to the server. */
  shares(namespace: string): boolean;
}

/** The backend of a registration that names a server. */
interface NamedServer {
  readonly server: string;
  /** The namespace of the registered tool. */
  readonly namespace: string;
}

/** Whether tools of a namespace may be called on a server with these terms. */
export function servesNamespace(terms: ServerTerms, namespace: string): boolean {
  return namespace === terms.namespace || terms.shares(namespace);
}

/**
 * Returns why a registration may not name a server as its backend; undefined when it may.
 *
 * An unknown server and one out of sight get the same refusal, so that it tells nothing. `terms` is undefined for an
 * unknown server, which only a caller who sees everything may name: later it may be anyone's.
 */
export function refuseServer(
  { server, namespace }: NamedServer,
  terms: ServerTerms | undefined,
  sight: Sight,
): { readonly code: 'forbidden' | 'invalid_backend'; readonly message: string } | undefined {
  if (terms === undefined ? sight.key === '' : servesNamespace(terms, namespace)) return undefined;
  if (terms === undefined || !sight.sees(terms.namespace)) {
    return { code: 'forbidden', message: 'This token has no right on a server of that name.' };
  }
  const place = namespace === '' ? 'tools without a namespace' : `tools of the namespace ${namespace}`;
  return {
    code: 'invalid_backend',
    message: `The server ${server} takes no calls for ${place}: "share_with" of the server would allow it.`,
  };
}
