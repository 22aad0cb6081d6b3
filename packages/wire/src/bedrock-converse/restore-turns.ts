import type { Past } from '../format/request-editor.ts';
import type { HiddenTurn, RequestView } from '../format/view.ts';
import {
  type Edit,
  elementsOf,
  isJsonObject,
  type JsonObject,
  memberSpan,
  splice,
  textOf,
} from '../json/json-splice.ts';
import { isBindingModel } from '../turns/binding-models.ts';
import { type DeclaredTools, declaredTools, type KeptResult } from '../turns/kept-result.ts';
import { recallTurns } from '../turns/recall-turns.ts';
import { dropReasoning } from './drop-reasoning.ts';
import { FORMAT_NAME } from './format-name.ts';
import { historyKeys } from './history-keys.ts';
import { isReasoning, readBlocks } from './read-blocks.ts';
import { visibleForm } from './visible-form.ts';
import { writeResult, writeResults } from './write-results.ts';

/**
 * Puts back every hidden turn whose visible part is in the history as it was shown.
 *
 * Results that stood beside real calls go in front of the client's own, in the message that follows: the provider wants results first.
 */
export function restoreTurns(
  view: RequestView,
  { hiddenTurns, dropsThinking = false }: Pick<Past, 'hiddenTurns' | 'dropsThinking'>,
): Edit[] {
  const recalled = recallByTurn(view, hiddenTurns);
  const declared = declaredTools(view);
  return view.turns.flatMap(({ position }, index) => {
    const hidden = recalled[index];
    if (hidden) return restoreTurn(view, position, hidden, { declared, dropsThinking });
    return dropsThinking ? mendTurn(view, position) : [];
  });
}

/** The hidden turns that are put back, in the order of the history. */
export function recall(view: RequestView, hiddenTurns: readonly HiddenTurn[]): HiddenTurn[] {
  return recallByTurn(view, hiddenTurns).filter((hidden) => hidden !== undefined);
}

function recallByTurn(view: RequestView, hiddenTurns: readonly HiddenTurn[]): (HiddenTurn | undefined)[] {
  const ours = hiddenTurns.filter(({ format }) => format === FORMAT_NAME);
  if (ours.length === 0) return [];
  return recallTurns(historyKeys(view), ours, (index, hidden, by) => {
    const blocks = readBlocks(view.history[view.turns[index]!.position]);
    const visible = visibleForm(blocks);
    if (hidden.visible === visible) return hidden;
    // Where thinking is bound, what another conversation has hidden may not turn up in this one.
    if (by === 'conversation' && isBindingModel(view.model)) return undefined;
    // A client that sends no thinking back wants none in its history.
    return spokenOf(hidden.visible) === visible ? withoutThoughts(hidden) : undefined;
  });
}

/** A visible form without its thinking; texts that thinking had parted are one again. */
function spokenOf(form: string): string {
  const parts = (JSON.parse(`[${form}]`) as unknown[]).filter(
    (part) => !Array.isArray(part) || part[0] !== 'thinking',
  );
  const joined: unknown[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    if (typeof part === 'string' && typeof last === 'string') joined[joined.length - 1] = last + part;
    else joined.push(part);
  }
  return joined.map((part) => JSON.stringify(part)).join();
}

function withoutThoughts(hidden: HiddenTurn): HiddenTurn {
  const before = hidden.before.map((part) => (isMessage(part) ? spokenPart(part) : part));
  return { ...hidden, before, message: spokenPart(hidden.message) };
}

function spokenPart(message: string): string {
  const content = memberSpan(message, 0, 'content')!;
  const blocks = elementsOf(message, content.start).map((span) => textOf(message, span));
  const spoken = blocks.filter((block) => !isReasoning(JSON.parse(block) as JsonObject));
  return splice(message, [{ ...content, text: `[${spoken.join(',')}]` }]);
}

interface Restoring {
  readonly declared: DeclaredTools;
  readonly dropsThinking: boolean;
}

function restoreTurn(
  view: RequestView,
  position: number,
  hidden: HiddenTurn,
  { declared, dropsThinking }: Restoring,
): Edit[] {
  const results = hidden.results.map((result) => JSON.parse(result) as KeptResult);
  const span = view.spans.history[position]!;
  const placed = placeResults(view, position + 1, results, declared);
  // Calls without results are refused: without a place for them, the last message stays as the client has it.
  const lacksPlace = results.length > 0 && placed.length === 0;
  const last = lacksPlace ? textOf(view.text, span) : hidden.message;
  const before = hidden.before.map((part) =>
    isMessage(part) ? part : writeResults(JSON.parse(part) as KeptResult[], declared),
  );
  // A message of which nothing was left may not be sent.
  const spoken = [...before, ...(readBlocks(JSON.parse(last)).length > 0 ? [last] : [])];
  const messages = dropsThinking ? spoken.map((message) => dropReasoning(message, view)) : spoken;
  return [{ ...span, text: messages.join(',') }, ...placed];
}

/** A turn of which nothing was hidden, or nothing is known any more. */
function mendTurn(view: RequestView, position: number): Edit[] {
  const span = view.spans.history[position]!;
  const shown = textOf(view.text, span);
  const mended = dropReasoning(shown, view);
  return mended === shown ? [] : [{ ...span, text: mended }];
}

/** A part of `before` is the assistant's message or a list of kept results. */
function isMessage(part: string): boolean {
  return part.startsWith('{');
}

function placeResults(
  { history, spans, text }: RequestView,
  position: number,
  results: readonly KeptResult[],
  declared: DeclaredTools,
): Edit[] {
  const message = history[position];
  if (results.length === 0 || !isJsonObject(message) || message.role !== 'user') return [];
  const content = memberSpan(text, spans.history[position]!.start, 'content');
  const first = content && elementsOf(text, content.start)[0];
  if (first === undefined) return [];
  const blocks = results.map((result) => `${writeResult(result, declared)},`).join('');
  return [{ start: first.start, end: first.start, text: blocks }];
}
