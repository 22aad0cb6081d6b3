import type { Plan, RequestView } from '../format/view.ts';
import { memberOf, memberTexts, withMembers, withoutMembers } from '../json/json-members.ts';
import { isJsonObject, type JsonObject, valueSpan } from '../json/json-splice.ts';
import { mentioningMembers } from '../json/mentioning-members.ts';
import { parseJson } from '../json/parse-json.ts';
import { hiddenNames } from '../tools/hidden-names.ts';

/** Restores what a response repeats of its request to what the client wrote: an echo of the edited request names hidden things. */
export type RestoreEcho = (response: string) => string;

/** Members that hold what the model said, or what went wrong. */
const KEPT = ['output', 'error', 'id', 'tools', 'output_text'];

/** The restorer for responses to a request that was edited by this plan. */
export function restoreEcho(
  { toolSection, body, spans, text, clientTools }: RequestView,
  plan: Plan,
): RestoreEcho {
  const hidden = hiddenNames(plan);
  const isEdited = plan.defer.length > 0 || !hidden.isEmpty;
  const tools = isEdited ? (clientTools ?? toolSection?.text) : undefined;
  const previous = spans.members.get('previous_response_id');
  const previousId = previous === undefined ? undefined : text.slice(previous.start, previous.end);
  return (response) => {
    const changes: Record<string, string> = {};
    if (tools !== undefined && memberOf(response, 'tools') !== undefined) changes.tools = tools;
    const echoed = memberOf(response, 'previous_response_id');
    // A response that goes on from nothing says null, whatever the request says.
    if (previousId !== undefined && echoed !== undefined && typeof body.previous_response_id === 'string') {
      changes.previous_response_id = previousId;
    }
    const restored = Object.keys(changes).length === 0 ? response : withMembers(response, changes);
    if (!hidden.areIn(restored)) return restored;
    return withoutMembers(restored, mentioningMembers(restored, valueSpan(restored), { hidden, kept: KEPT }));
  };
}

/** The transformations of a response's input without those of items that the client does not know; undefined where all stay. */
export function withoutHiddenInputs(response: string, hiddenIds: ReadonlySet<string>): string | undefined {
  if (hiddenIds.size === 0 || memberOf(response, 'input_transformations') === undefined) return undefined;
  const all = memberTexts(response, 'input_transformations');
  const kept = all.filter((entry) => {
    const read = parseJson(entry);
    return !isJsonObject(read) || !hiddenIds.has(String((read as JsonObject).id));
  });
  return kept.length === all.length ? undefined : `[${kept.join(',')}]`;
}
