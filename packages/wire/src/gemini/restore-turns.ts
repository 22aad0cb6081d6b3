import type { HiddenTurn, RequestView } from '../format/view.ts';
import { parseObject, withChangesAt, withElements } from '../json/json-members.ts';
import {
  type Edit,
  elementsOf,
  type JsonObject,
  memberSpan,
  objectsIn,
  type Span,
  textOrNone,
} from '../json/json-splice.ts';
import type { DeclaredTools, KeptResult } from '../turns/kept-result.ts';
import { hiddenRounds } from '../turns/remember-turns.ts';
import { replaceTurn } from '../turns/runs.ts';
import { keyOf } from './field-of.ts';
import { callKey, callOf, callsOf, isOfModel, partsOf, responseOf } from './read-contents.ts';
import { endOfTurn, partsOfTurn } from './read-request.ts';
import { turns } from './turns.ts';
import { resultContent, resultParts } from './write-results.ts';

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
