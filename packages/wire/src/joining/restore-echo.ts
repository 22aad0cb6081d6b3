import type { Plan, RequestView } from '../format/view.ts';
import { memberOf, withMembers } from '../json/json-members.ts';
import { valueSpan } from '../json/json-splice.ts';
import { mentioningMembers } from '../json/mentioning-members.ts';
import { hiddenNames } from '../tools/hidden-names.ts';

/**
 * Restores the parts of a response that repeat its request to the client's own text, because an echo of the
 * edited request names hidden tools.
 */
export type RestoreEcho = (response: string) => string;

/** The members of a response that repeat its request, and those that do not. */
export interface EchoedMembers {
  /** Members, in addition to `tools`, that are restored to the client's text. */
  readonly own: readonly string[];
  /** Members that hold the model's output or an error. */
  readonly kept: readonly string[];
}

/** Returns the restorer for responses to a request that was edited by this plan. */
export function echoRestorer(
  { toolSection, spans, text }: RequestView,
  plan: Plan,
  { own, kept }: EchoedMembers,
): RestoreEcho {
  const hidden = hiddenNames(plan);
  const isEdited = plan.defer.length > 0 || !hidden.isEmpty;
  const written = own.map((key) => {
    const span = spans.members.get(key);
    return [key, span && text.slice(span.start, span.end)] as const;
  });
  const tools = isEdited ? toolSection?.text : undefined;
  const wanted = [['tools', tools] as const, ...written].filter(([, value]) => value !== undefined);
  return (response) => {
    const echoed = wanted.filter(([key]) => memberOf(response, key) !== undefined);
    const restored = withMembers(response, Object.fromEntries(echoed));
    if (!hidden.areIn(restored)) return restored;
    const mentioning = mentioningMembers(restored, valueSpan(restored), { hidden, kept });
    return withMembers(restored, Object.fromEntries(mentioning.map((key) => [key, undefined])));
  };
}
