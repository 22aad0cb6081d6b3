import { type Edit, elementsOf, memberSpan, setMember } from '../json-splice.ts';
import type { RequestView } from '../view.ts';
import { callOf, isOfModel, partsOf, responseOf, signatureOf } from './read-contents.ts';

/** What the provider takes in place of a signature that is lost, at the cost of some quality. Source: https://ai.google.dev/gemini-api/docs/thought-signatures */
const ANY_SIGNATURE = '"skip_thought_signature_validator"';

/** The first generation of models that refuse a call without its signature. */
const FIRST_SIGNING = 3;

/**
 * The edits that sign calls whose signature was lost with a hidden turn: the first call of a batch alone is signed, and where that was a search
 * which nobody remembers, those that are left have no signature.
 *
 * Only the current turn is looked at, all that follows the last words of the user, as only there the provider asks for signatures; and of each
 * content only the first call. Turns at the positions in `restored` have theirs.
 */
export function signCalls(view: RequestView, restored: ReadonlySet<number>): Edit[] {
  if (!asksForSignatures(view.model)) return [];
  const { history, turns } = view;
  const start = 1 + history.findLastIndex((content) => !isOfModel(content) && isSpoken(content));
  return turns.flatMap(({ position }) =>
    position < start || restored.has(position) ? [] : signFirstCall(view, position),
  );
}

/** Whether the models of this name refuse unsigned calls, as far as the name tells. */
export function asksForSignatures(model: string | undefined): boolean {
  const [, generation] = /gemini-(\d+)/.exec(model ?? '') ?? [];
  return Number(generation) >= FIRST_SIGNING;
}

/** Whether a content holds anything but results. */
function isSpoken(content: unknown): boolean {
  return partsOf(content).some((part) => responseOf(part) === undefined);
}

/** A turn may be several contents, of which the first with a call has the signature. */
function signFirstCall({ history, text, spans }: RequestView, position: number): Edit[] {
  for (let at = position; isOfModel(history[at]); at += 1) {
    const { parts } = history[at] as { readonly parts?: unknown };
    if (!Array.isArray(parts)) continue;
    const index = partsOf({ parts }).findIndex((part) => callOf(part) !== undefined);
    if (index === -1) continue;
    const part = partsOf({ parts })[index]!;
    if (signatureOf(part) !== undefined) return [];
    const list = memberSpan(text, spans.history[at]!.start, 'parts')!;
    const span = elementsOf(text, list.start)[parts.indexOf(part)]!;
    return [setMember(text, span, 'thoughtSignature', ANY_SIGNATURE)];
  }
  return [];
}
