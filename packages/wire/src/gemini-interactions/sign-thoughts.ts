import type { RequestView } from '../format/view.ts';
import { changeMembers, type Edit } from '../json/json-splice.ts';
import { isFunctionCall, isSpoken, isThought, textOrNone } from './read-steps.ts';
import { runsIn } from './turns.ts';

/** What the provider takes in place of a signature that is lost, at the cost of some quality. Source: https://ai.google.dev/gemini-api/docs/thought-signatures */
const ANY_SIGNATURE = '"skip_thought_signature_validator"';

/**
 * The edits that sign thoughts and calls anew whose signatures were refused: they were made after turns that are lost. Only the current turn is looked
 * at, all that follows the last words of the user, as only there the provider looks for them. Turns at the positions in `restored` have theirs; a call
 * behind no thought gets one.
 */
export function signThoughts(view: RequestView, restored: ReadonlySet<number>): Edit[] {
  return currentRuns(view)
    .filter(({ start }) => !restored.has(start))
    .flatMap(({ start, items: steps }) => {
      const first = steps.findIndex(isFunctionCall);
      const isUnsigned = first !== -1 && !steps.slice(0, first).some(isThought);
      const place = view.spans.history[start + first]?.start ?? 0;
      const added = `{"type":"thought","signature":${ANY_SIGNATURE}},`;
      return [
        ...(isUnsigned ? [{ start: place, end: place, text: added }] : []),
        ...steps.flatMap((step, at) => {
          if (!isThought(step) && textOrNone(step.signature) === undefined) return [];
          return changeMembers(view.text, view.spans.history[start + at]!, { signature: ANY_SIGNATURE });
        }),
      ];
    });
}

/** Whether signatures of the current turn might be refused: where turns before them are lost, they were made after others. */
export function holdsSignatures(view: RequestView): boolean {
  return currentRuns(view).some(({ items: steps }) =>
    steps.some((step) => textOrNone(step.signature) !== undefined || isFunctionCall(step)),
  );
}

function currentRuns(view: RequestView) {
  const spoken = view.history.findLastIndex(isSpoken);
  return runsIn(view).filter(({ start }) => start > spoken);
}
