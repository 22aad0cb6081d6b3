import { REGISTRY_LIMITS, type RegistryLimits } from '../limits.ts';
import { isSameBackend } from '../model/backend.ts';
import { checkRegistration } from '../model/check-registration.ts';
import { createStoredTool, definitionOf } from '../model/create-stored-tool.ts';
import { isSameJson } from '../model/json.ts';
import { normalizeTags } from '../model/normalize-tags.ts';
import { MCP_FIELDS, type McpTool, type Registration, type StoredTool } from '../model/tool.ts';
import { formatToolId } from '../model/tool-id.ts';
import { type Outcome, type Problem, refuse, refuseAll } from '../problem.ts';
import type { PlannedChange, PlannedEvent } from './change.ts';
import { keptExamples } from './kept-examples.ts';
import { LayeredBase, type ToolBase } from './tool-base.ts';

/** The effect of a registration on its tool. */
export type Effect = 'registered' | 'updated' | 'unchanged';

/** The plan of a batch of registrations. */
export interface RegistrationPlan {
  readonly change: PlannedChange;
  /** The effect of each registration, in order. */
  readonly effects: readonly { readonly id: string; readonly effect: Effect }[];
}

/** Limits and rights of a registration. */
export interface RegistrationBounds {
  readonly limits: RegistryLimits;
  /** Whether the caller may change a namespace. */
  readonly mayChange: (namespace: string) => boolean;
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
    return refuse('limit_exceeded', `One change takes at most ${REGISTRY_LIMITS.batchTools} tools.`, 'tools');
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
    const next = planOne(registration, layer, bounds.limits, path);
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

function problemsOf(value: unknown, path: string, { mayChange }: RegistrationBounds): readonly Problem[] {
  const problems = checkRegistration(value, path);
  if (problems.length > 0) return problems;
  const { namespace = '' } = value as Registration;
  // Checked before the content is read, so the refusal does not reveal whether the tool exists.
  if (mayChange(namespace)) return [];
  const message = 'This token may not change that namespace.';
  return [{ code: 'forbidden', path: `${path}.namespace`, message }];
}

function planOne(
  registration: Registration,
  base: ToolBase,
  limits: RegistryLimits,
  path: string,
): Outcome<{ tool: StoredTool; effect: Effect }> {
  const existing = base.get(idOf(registration));
  if (existing === undefined) {
    if (base.toolCount >= limits.tools) {
      return refuse('limit_exceeded', `There may be at most ${limits.tools} tools.`, path);
    }
    return { ok: true, tool: toStored(registration), effect: 'registered' };
  }
  const conflict = findConflict(existing, registration);
  if (conflict.length > 0) return refuse('tool_conflict', describeConflict(existing.id, conflict), path);
  const isKnownBackend = existing.backends.some((backend) => isSameBackend(backend, registration.backend));
  if (!isKnownBackend && existing.backends.length >= REGISTRY_LIMITS.backends) {
    const message = `A tool may have at most ${REGISTRY_LIMITS.backends} backends.`;
    return refuse('limit_exceeded', message, `${path}.backend`);
  }
  const tool = toStored(registration, existing);
  return { ok: true, tool, effect: tool.contentHash === existing.contentHash ? 'unchanged' : 'updated' };
}

/** Returns the fields that conflict with other backends; a tool's only backend may change all fields. */
function findConflict(existing: StoredTool, { tool, backend }: Registration): readonly string[] {
  if (existing.backends.every((known) => isSameBackend(known, backend))) return [];
  const known: McpTool = definitionOf(existing);
  return MCP_FIELDS.filter((field) => !isSameJson(known[field], tool[field]));
}

function describeConflict(id: string, fields: readonly string[]): string {
  return `Another backend registered ${id} with a different ${fields.join(', ')}.`;
}

function idOf({ namespace = '', tool }: Registration): string {
  return formatToolId({ namespace, name: tool.name });
}

/** Creates the stored tool; an existing one keeps the order of its backends. */
function toStored(registration: Registration, existing?: StoredTool): StoredTool {
  const { namespace = '', tool, tags = [], version, backend } = registration;
  const backends = existing?.backends ?? [];
  const isKnown = backends.some((known) => isSameBackend(known, backend));
  return createStoredTool({
    namespace,
    tool,
    tags: normalizeTags(tags),
    version,
    backends: isKnown ? backends : [...backends, backend],
    examples: existing === undefined ? [] : keptExamples(existing, tool),
    prefix: existing?.prefix,
  });
}
