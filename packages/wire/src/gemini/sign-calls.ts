import type { RequestView } from '../format/view.ts';
import {
  changeMembers,
  type Edit,
  elementsOf,
  type JsonObject,
  memberSpan,
  type Span,
} from '../json/json-splice.ts';
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
 * content only the first call. Turns at the positions in `restored` have theirs. With `replaces`, signatures that are there are replaced as well: they
 * were refused.
 */
export function signCalls(
  view: RequestView,
  { restored, replaces = false }: { readonly restored: ReadonlySet<number>; readonly replaces?: boolean },
): Edit[] {
  return firstCallsIn(view)
    .filter(({ position, part }) => !restored.has(position) && (replaces || signatureOf(part) === undefined))
    .flatMap(({ span }) => {
      const changes = { thoughtSignature: ANY_SIGNATURE, thought_signature: undefined };
      return changeMembers(view.text, span, changes);
    });
}

/** Whether signatures of the current turn might be refused: where turns before them are lost, they were made after others. */
export function holdsSignatures(view: RequestView): boolean {
  return firstCallsIn(view).some(({ part }) => signatureOf(part) !== undefined);
}

/** The first call of a turn. */
interface FirstCall {
  /** Where the turn begins. */
  readonly position: number;
  readonly part: JsonObject;
  readonly span: Span;
}

/** The first call of each turn of which the provider asks for a signature. */
function firstCallsIn(view: RequestView): FirstCall[] {
  if (!asksForSignatures(view.model)) return [];
  const { history, turns } = view;
  const start = 1 + history.findLastIndex((content) => !isOfModel(content) && isSpoken(content));
  return turns.flatMap(({ position }) => (position < start ? [] : (firstCallOf(view, position) ?? [])));
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
function firstCallOf({ history, text, spans }: RequestView, position: number): FirstCall | undefined {
  for (let at = position; isOfModel(history[at]); at += 1) {
    const { parts } = history[at] as { readonly parts?: unknown };
    if (!Array.isArray(parts)) continue;
    const part = partsOf({ parts }).find((one) => callOf(one) !== undefined);
    if (part === undefined) continue;
    const list = memberSpan(text, spans.history[at]!.start, 'parts')!;
    return { position, part, span: elementsOf(text, list.start)[parts.indexOf(part)]! };
  }
  return undefined;
}
