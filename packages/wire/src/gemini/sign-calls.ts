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

/**
 * A value that the provider accepts in place of a lost signature, at the cost of some quality. Source:
 * https://ai.google.dev/gemini-api/docs/thought-signatures
 */
export const ANY_SIGNATURE = '"skip_thought_signature_validator"';

/** The first generation of models that refuse a call without its signature. */
const FIRST_SIGNING = 3;

/**
 * Returns the edits that sign calls whose signature was lost with a hidden turn. Only the first call of a
 * batch is signed; if that was a search in a lost hidden turn, the remaining calls have no signature.
 *
 * Only the first call of each turn after the last user message is edited, because the provider checks no
 * other. Turns at the positions in `restored` have their own signatures. With `replaces`, refused signatures
 * are replaced as well.
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

/**
 * Whether the provider might refuse signatures of the current turn. It does if turns before them are lost.
 */
export function holdsSignatures(view: RequestView): boolean {
  return firstCallsIn(view).some(({ part }) => signatureOf(part) !== undefined);
}

/** The first call of a turn. */
interface FirstCall {
  /** The position where the turn begins. */
  readonly position: number;
  readonly part: JsonObject;
  readonly span: Span;
}

/** Returns the first calls that need a signature, one per turn. */
function firstCallsIn(view: RequestView): FirstCall[] {
  if (!asksForSignatures(view.model)) return [];
  const { history, turns } = view;
  const start = 1 + history.findLastIndex((content) => !isOfModel(content) && isSpoken(content));
  return turns.flatMap(({ position }) => (position < start ? [] : (firstCallOf(view, position) ?? [])));
}

/** Whether the models of this name refuse unsigned calls, judging by the name alone. */
function asksForSignatures(model: string | undefined): boolean {
  const [, generation] = /gemini-(\d+)/.exec(model ?? '') ?? [];
  return Number(generation) >= FIRST_SIGNING;
}

/** Whether a content holds anything other than results. */
function isSpoken(content: unknown): boolean {
  return partsOf(content).some((part) => responseOf(part) === undefined);
}

/**
 * Returns the first call of a turn. A turn may have several contents; the first one with a call has the
 * signature.
 */
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
