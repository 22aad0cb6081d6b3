import type { Plan, RequestView } from '../format/view.ts';
import { memberOf, withMembers } from '../json/json-members.ts';
import { valueSpan } from '../json/json-splice.ts';
import { mentioningMembers } from '../json/mentioning-members.ts';
import { hiddenNames } from '../tools/hidden-names.ts';

/** Restores what an interaction repeats of its request to what the client wrote: an echo of the edited request names hidden things. */
export type RestoreEcho = (interaction: string) => string;

/** Members that hold what the model said, or what went wrong. */
const KEPT = ['steps', 'errors', 'id', 'tools', 'input'];

/** The restorer for responses to a request that was edited by this plan. */
export function restoreEcho({ toolSection, spans, text, clientTools }: RequestView, plan: Plan): RestoreEcho {
  const hidden = hiddenNames(plan);
  const isEdited = plan.defer.length > 0 || !hidden.isEmpty;
  const written = (key: string) => {
    const span = spans.members.get(key);
    return span === undefined ? undefined : text.slice(span.start, span.end);
  };
  const own = {
    ...(isEdited && { tools: clientTools ?? toolSection?.text }),
    previous_interaction_id: written('previous_interaction_id'),
    input: written('input'),
  };
  return (interaction) => {
    const echoed = Object.entries(own).filter(
      ([key, value]) => value !== undefined && memberOf(interaction, key) !== undefined,
    );
    const restored = withMembers(interaction, Object.fromEntries(echoed));
    if (!hidden.areIn(restored)) return restored;
    const mentioning = mentioningMembers(restored, valueSpan(restored), { hidden, kept: KEPT });
    return withMembers(restored, Object.fromEntries(mentioning.map((key) => [key, undefined])));
  };
}
