import type { Plan, RequestView } from '../format/view.ts';
import { echoRestorer, type RestoreEcho } from '../joining/restore-echo.ts';
import { memberOf, memberTexts, parseObject, withMembers } from '../json/json-members.ts';

export type { RestoreEcho };

/** Returns the restorer for responses to a request that was edited by this plan. */
export function restoreEcho(view: RequestView, plan: Plan): RestoreEcho {
  const restore = echoRestorer(view, plan, {
    // A response that continues no other has null here, whatever the request says.
    own: typeof view.body.previous_response_id === 'string' ? ['previous_response_id'] : [],
    kept: ['output', 'error', 'id', 'tools', 'output_text'],
  });
  const own = JSON.stringify(view.body.tool_choice ?? 'auto');
  return (response) => {
    const restored = restore(response);
    // A last round forbids calls; no other one does so of itself.
    const isForbidding = memberOf(restored, 'tool_choice') === '"none"';
    return isForbidding ? withMembers(restored, { tool_choice: own }) : restored;
  };
}

/**
 * Returns the input transformations of a response without those of items that the client does not know;
 * undefined when all stay.
 */
export function withoutHiddenInputs(response: string, hiddenIds: ReadonlySet<string>): string | undefined {
  if (hiddenIds.size === 0 || memberOf(response, 'input_transformations') === undefined) return undefined;
  const all = memberTexts(response, 'input_transformations');
  const kept = all.filter((entry) => {
    const read = parseObject(entry);
    return read === undefined || !hiddenIds.has(String(read.id));
  });
  return kept.length === all.length ? undefined : `[${kept.join(',')}]`;
}
