import { type Backend, isSameBackend } from '../model/backend.ts';
import { createStoredTool, definitionOf } from '../model/create-stored-tool.ts';
import type { StoredTool } from '../model/tool.ts';
import { type Outcome, refuse } from '../problem.ts';
import type { PlannedChange } from './change.ts';
import type { ToolBase } from './tool-base.ts';

/** The tool or backend to remove. */
export interface Removal {
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
