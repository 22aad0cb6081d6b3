import type { RequestView } from '../format/view.ts';
import type { ReadEvent } from '../joining/read-event.ts';
import { withMember, withMembers } from '../json/json-members.ts';
import { changeMembers, type Edit, isJsonObject, textOrNone } from '../json/json-splice.ts';
import { isFunctionCall, isSpoken, isThought } from './read-steps.ts';
import { runsIn } from './turns.ts';

/**
 * A value that the provider accepts in place of a lost signature, at the cost of some quality. Source:
 * https://ai.google.dev/gemini-api/docs/thought-signatures
 */
const ANY_SIGNATURE = '"skip_thought_signature_validator"';

/** Returns a thought, given as JSON, whose signature the provider accepts in front of any step. */
export function withAnySignature(thought: string): string {
  return withMembers(thought, { signature: ANY_SIGNATURE });
}

/** Returns the data of an event about a thought, with such a signature if it brings one. */
export function withAnySignatureIn({ data, body: { step, delta } }: ReadEvent): string {
  const isSigned = isJsonObject(step) && textOrNone(step.signature) !== undefined;
  if (isSigned) return withMember(data, 'step', withAnySignature);
  const isSignature = isJsonObject(delta) && delta.type === 'thought_signature';
  return isSignature ? withMember(data, 'delta', withAnySignature) : data;
}

/**
 * Returns the edits that replace the refused signatures of thoughts and calls, which were made after turns
 * that are now lost. Only the current turn is edited, from the last user input on, because the provider
 * checks no other. Turns at the positions in `restored` have their own signatures. A call without a thought
 * before it gets one.
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

/**
 * Whether the provider might refuse signatures of the current turn. It does if turns before them are lost.
 */
export function holdsSignatures(view: RequestView): boolean {
  return currentRuns(view).some(({ items: steps }) =>
    steps.some((step) => textOrNone(step.signature) !== undefined || isFunctionCall(step)),
  );
}

function currentRuns(view: RequestView) {
  const spoken = view.history.findLastIndex(isSpoken);
  return runsIn(view).filter(({ start }) => start > spoken);
}
