import type { Past } from '../format/request-editor.ts';
import type { HiddenTurn, RequestView } from '../format/view.ts';
import {
  type Edit,
  elementsOf,
  isJsonObject,
  memberSpan,
  setMember,
  splice,
  textOf,
  valueStart,
} from '../json/json-splice.ts';
import { isBindingModel } from '../turns/binding-models.ts';
import type { KeptResult } from '../turns/kept-result.ts';
import { recallTurns } from '../turns/recall-turns.ts';
import { dropThinking, isThinking } from './drop-thinking.ts';
import { FORMAT_NAME } from './hide-turn.ts';
import { historyKeys } from './history-keys.ts';
import { readBlocks } from './read-blocks.ts';
import { visibleForm, withoutThinking } from './visible-form.ts';
import { type ResultStyle, writeResult, writeResults } from './write-results.ts';

/**
 * Puts back every hidden turn whose visible part is in the history as it was shown.
 *
 * Results that stood beside real calls go in front of the client's own, in the message that follows; without such a
 * message they have no place, and that turn's last message stays as the client wrote it.
 */
export function restoreTurns(
  view: RequestView,
  { hiddenTurns, dropsThinking }: Pick<Past, 'hiddenTurns' | 'dropsThinking'>,
  style: ResultStyle,
): Edit[] {
  const recalled = recallByTurn(view, hiddenTurns);
  if (!dropsThinking && recalled.every((hidden) => hidden === undefined)) return [];
  return view.turns.flatMap(({ position }, index) => {
    const hidden = recalled[index];
    if (hidden) return restoreTurn(view, position, hidden, { style, dropsThinking });
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
    const visible = visibleForm(readBlocks(messageAt(view, view.turns[index]!.position)));
    if (hidden.visible === visible) return hidden;
    // Two conversations may say the same with other thoughts. Where thinking is bound, what another one has hidden may not turn up in a history
    // that the model has read without it.
    if (by === 'conversation' && isBindingModel(view.model)) return undefined;
    // A client that sends no thinking back wants none in its history.
    return withoutThinking(hidden.visible) === visible ? withoutThoughts(hidden) : undefined;
  });
}

function withoutThoughts(hidden: HiddenTurn): HiddenTurn {
  const before = hidden.before.map((part) => (isMessage(part) ? spokenPart(part) : part));
  return { ...hidden, before, message: spokenPart(hidden.message) };
}

function spokenPart(message: string): string {
  const content = memberSpan(message, 0, 'content')!;
  const blocks = elementsOf(message, content.start).map((span) => textOf(message, span));
  return splice(message, [
    { ...content, text: `[${blocks.filter((block) => !isThinking(block)).join(',')}]` },
  ]);
}

function restoreTurn(
  view: RequestView,
  position: number,
  hidden: HiddenTurn,
  { style, dropsThinking = false }: { style: ResultStyle; dropsThinking: boolean | undefined },
): Edit[] {
  const mend = (message: string) => (dropsThinking ? dropThinking(message, view) : message);
  const results = hidden.results.map((result) => JSON.parse(result) as KeptResult);
  const span = view.spans.history[position]!;
  const shown = textOf(view.text, span);
  const edits = results.length === 0 ? [] : placeResults(view, position + 1, results, style);
  const lacksPlace = results.length > 0 && edits.length === 0;
  const message = lacksPlace ? shown : moveMark(shown, hidden.message);
  const before = hidden.before.map((part) =>
    isMessage(part) ? part : writeResults(JSON.parse(part) as KeptResult[], style),
  );
  // A last message of which nothing was left, such as a search that was cut off, is not sent: it may not be empty.
  const spoken = [...before, ...(readBlocks(JSON.parse(message)).length > 0 ? [message] : [])];
  const messages = spoken.map(mend);
  return [{ ...span, text: messages.join(',') }, ...edits];
}

/** A turn of which nothing was hidden, or nothing is known any more. */
function mendTurn(view: RequestView, position: number): Edit[] {
  const span = view.spans.history[position]!;
  const shown = textOf(view.text, span);
  const mended = dropThinking(shown, view);
  return mended === shown ? [] : [{ ...span, text: mended }];
}

/** A part of `before` is the assistant's message or a list of kept results. */
function isMessage(part: string): boolean {
  return part.startsWith('{');
}

/** The edit that puts results at the beginning of a user's message; none when that message has no list of blocks. */
function placeResults(
  view: RequestView,
  position: number,
  results: readonly KeptResult[],
  style: ResultStyle,
): Edit[] {
  const message = messageAt(view, position);
  if (!isJsonObject(message) || message.role !== 'user' || !Array.isArray(message.content)) return [];
  const content = memberSpan(view.text, view.spans.history[position]!.start, 'content')!;
  const first = elementsOf(view.text, content.start)[0];
  if (first === undefined) return [];
  const text = results.map((result) => `${writeResult(result, style)},`).join('');
  return [{ start: first.start, end: first.start, text }];
}

/** The message as it came, with the client's cache mark on its last block when the client set one there. */
function moveMark(shown: string, message: string): string {
  const shownLast = lastBlock(shown);
  const mark = shownLast === undefined ? undefined : memberSpan(shown, shownLast.start, 'cache_control');
  const last = lastBlock(message);
  // Thinking may carry no mark.
  if (mark === undefined || last === undefined || isThinking(textOf(message, last))) return message;
  return splice(message, [setMember(message, last, 'cache_control', textOf(shown, mark))]);
}

function lastBlock(message: string) {
  const content = memberSpan(message, valueStart(message), 'content');
  return content === undefined ? undefined : elementsOf(message, content.start).at(-1);
}

function messageAt({ history }: RequestView, position: number): unknown {
  return history[position];
}
