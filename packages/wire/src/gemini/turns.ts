import { changeMembers, type Edit, elementsOf, memberSpan, type Span } from '@winnow/core';
import type { HiddenTurn, RequestView, Round } from '../format/view.ts';
import { parseObject, withChangesAt, withElements } from '../json/json-members.ts';
import { isJsonObject, type JsonObject, objectsIn, textOrNone } from '../json/json-value.ts';
import { type DeclaredTools, type KeptResult, keepResults } from '../turns/kept-result.ts';
import { hiddenRounds, rememberTurns } from '../turns/remember-turns.ts';
import { replaceTurn, writeForm } from '../turns/visible-form.ts';
import {
  callKey,
  callOf,
  callsOf,
  endOfTurn,
  isOfModel,
  keyOf,
  partsOf,
  partsOfTurn,
  responseOf,
  signatureOf,
} from './read-request.ts';

/** The turns of `generateContent`: adjacent contents of the model. */
export const turns = rememberTurns({
  format: 'gemini',
  shownIn: (rounds) => {
    const parts = rounds.flatMap(shownParts);
    return {
      callIds: callsOf(parts).map(({ key }) => key),
      signatures: signaturesOf(parts),
      said: saidByModel(parts),
      visible: visibleForm(parts),
    };
  },
  saidIn:
    ({ history }) =>
    (position) => {
      const content = history[position];
      if (!isJsonObject(content)) return undefined;
      if (!isOfModel(content)) return `user:${partsOf(content).map(saidInPart).join()}`;
      // A turn counts once, at its beginning.
      return isOfModel(history[position - 1]) ? undefined : saidByModel(partsOfTurn(history, position));
    },
  marksAt: ({ history, turns: visible }, index) => ({
    signatures: signaturesOf(partsOfTurn(history, visible[index]!.position)),
  }),
  fit: ({ history, turns: visible }, index, hidden) =>
    visibleForm(partsOfTurn(history, visible[index]!.position)) === hidden.visible ? hidden : undefined,
});

function shownParts({ turn: { message, searches } }: Round): JsonObject[] {
  const parts = partsOf(JSON.parse(message));
  const hidden = new Set(searches.map(({ id }) => id));
  const isHidden = new Set(callsOf(parts).flatMap(({ key, call }) => (hidden.has(key) ? [call] : [])));
  return parts.filter((part) => !isHidden.has(callOf(part) ?? part));
}

function signaturesOf(parts: readonly JsonObject[]): string[] {
  return parts.flatMap((part) => signatureOf(part) ?? []);
}

function saidByModel(parts: readonly JsonObject[]): string {
  return `model:${visibleForm(parts)}`;
}

/**
 * Returns the text that identifies a part of the client's. Function results count: conversations that differ
 * only in them are different.
 */
function saidInPart(part: JsonObject): string {
  const response = responseOf(part);
  if (response !== undefined) return JSON.stringify([response.name, response.response]);
  return typeof part.text === 'string' ? part.text : visibleForm([part]);
}

const UNCOUNTED: ReadonlySet<string> = new Set(['thoughtSignature', 'thought_signature']);

/**
 * Returns the normal form of a turn, which is the same for all the ways in which clients send it back.
 *
 * The form ignores thoughts, which many clients leave out, signatures, ids of calls, white space, and the
 * division of texts into parts and of parts into contents. Everything else counts, because a client's
 * deliberate changes must stay. Empty when the turn has no content.
 */
function visibleForm(parts: readonly JsonObject[]): string {
  return writeForm(parts.filter(({ thought }) => thought !== true).map(meaningOf), UNCOUNTED);
}

function meaningOf(part: JsonObject): string | object {
  const call = callOf(part);
  if (call !== undefined) return ['call', call.name, call.args ?? {}];
  return typeof part.text === 'string' ? part.text : part;
}

/** The edits that put hidden turns back. */
interface Restoration {
  readonly edits: readonly Edit[];
  /** Positions of the turns that again hold the model's original contents. */
  readonly restored: ReadonlySet<number>;
}

/**
 * Returns the edits that put hidden turns back around their visible turns.
 *
 * A visible turn is looked up by its keys, and left alone when it has changed, because the client changed it
 * on purpose. All contents of a turn become the model's original ones, so that each signature is in its
 * place.
 */
export function restoreTurns(
  view: RequestView,
  hiddenTurns: readonly HiddenTurn[],
  declared: DeclaredTools,
): Restoration {
  const recalled = turns.recallByTurn(view, hiddenTurns);
  const edits: Edit[] = [];
  const restored = new Set<number>();
  for (const [index, { position }] of view.turns.entries()) {
    const hidden = recalled[index];
    if (hidden === undefined) continue;
    const present = hidden.results.length > 0 ? responseSpans(view, endOfTurn(view.history, position)) : [];
    // The provider refuses calls without results. If there is no place for the results, the turn stays as the
    // client has it.
    if (hidden.results.length > 0 && present.length === 0) continue;
    restored.add(position);
    // Results are written in their order: a tool is defined in the first one that names it.
    edits.push(putBack(view, position, hidden, declared), ...placeResults(hidden, present, declared));
  }
  return { edits, restored };
}

function putBack(
  { history, spans }: RequestView,
  position: number,
  hidden: HiddenTurn,
  declared: DeclaredTools,
): Edit {
  const { earlier } = hiddenRounds(hidden);
  const end = endOfTurn(history, position) - 1;
  const span = { start: spans.history[position]!.start, end: spans.history[end]!.end };
  const before = earlier.flatMap(({ message, results }) => [
    message,
    resultContent(message, results, declared),
  ]);
  return replaceTurn(span, { before, spoken: spoken(withGivenIds(hidden, partsOfTurn(history, position))) });
}

/**
 * Returns a content unless it is empty, which the provider refuses. A search that was cut off leaves an empty
 * one.
 */
function spoken(message: string): string[] {
  return partsOf(JSON.parse(message)).length > 0 ? [message] : [];
}

/** Returns the edits that insert the results of searches among the client's results. */
function placeResults(
  { message, results }: HiddenTurn,
  present: readonly Span[],
  declared: DeclaredTools,
): Edit[] {
  if (results.length === 0) return [];
  const kept = results.map((result) => JSON.parse(result) as KeptResult);
  return resultParts(message, kept, declared).map(({ text, behind }) => {
    const next = present[behind];
    if (next !== undefined) return { start: next.start, end: next.start, text: `${text},` };
    const { end } = present.at(-1)!;
    return { start: end, end, text: `,${text}` };
  });
}

/** Returns the spans of the results after a turn, in one or several contents. */
function responseSpans({ history, spans, text }: RequestView, start: number): Span[] {
  const found: Span[] = [];
  for (let at = start; at < history.length && !isOfModel(history[at]); at += 1) {
    const { parts } = (history[at] ?? {}) as { readonly parts?: unknown };
    const list = Array.isArray(parts) ? memberSpan(text, spans.history[at]!.start, 'parts') : undefined;
    const places = list === undefined ? [] : elementsOf(text, list.start);
    const isResult = (index: number) =>
      objectsIn([(parts as unknown[])[index]]).some((part) => responseOf(part) !== undefined);
    found.push(...places.filter((_, index) => isResult(index)));
  }
  return found;
}

/**
 * Returns the last message of a hidden turn with the ids that the client has given to calls without one. The
 * client's results use the same ids. `shown` are the parts of the visible turn.
 */
function withGivenIds({ message, results }: HiddenTurn, shown: readonly JsonObject[]): string {
  const given = callsOf(shown).map(({ call }) => textOrNone(call.id));
  if (given.every((id) => id === undefined)) return message;
  const hidden = new Set(results.map((result) => (JSON.parse(result) as KeptResult).callId));
  let calls = 0;
  let real = 0;
  return withElements(message, 'parts', (text) => {
    const part = parseObject(text);
    const call = part && callOf(part);
    if (textOrNone(call?.name) === undefined || hidden.has(callKey(call!, calls++))) return text;
    const id = given[real++];
    if (id === undefined || textOrNone(call!.id) !== undefined) return text;
    const place = [keyOf(part!, 'functionCall')];
    return withChangesAt(text, { place }, { place: { id: JSON.stringify(id) } });
  });
}

/**
 * Returns the contents of a round as JSON: the model's original content, then one with a result for each of
 * its searches.
 */
export function contentsOfRound(round: Round, declared: DeclaredTools): string[] {
  const { message } = round.turn;
  return [message, resultContent(message, keepResults(round), declared)];
}

/** Returns the content that answers the searches of a message, given as JSON. */
function resultContent(message: string, results: readonly KeptResult[], declared: DeclaredTools): string {
  const parts = resultParts(message, results, declared).map(({ text }) => text);
  return `{"role":"user","parts":[${parts.join(',')}]}`;
}

/** The answer to one search, as JSON of a part. */
export interface ResultPart {
  readonly text: string;
  /** The number of the client's results before it: the provider wants results in the order of their calls. */
  readonly behind: number;
}

/**
 * Returns the results of a message's searches, in the order of its calls. A result has an id only if its call
 * has one.
 */
function resultParts(message: string, results: readonly KeptResult[], declared: DeclaredTools): ResultPart[] {
  let behind = 0;
  return callsOf(partsOf(JSON.parse(message) as JsonObject)).flatMap(({ key, call }) => {
    const result = results.find(({ callId }) => callId === key);
    if (result === undefined) {
      behind += 1;
      return [];
    }
    const id = textOrNone(call.id);
    const response = { output: declared.textOf(result) };
    const functionResponse = { ...(id !== undefined && { id }), name: call.name, response };
    return [{ text: JSON.stringify({ functionResponse }), behind }];
  });
}

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
