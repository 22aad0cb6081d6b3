import type { Past } from '../format.ts';
import {
  type Edit,
  elementsOf,
  isJsonObject,
  memberSpan,
  setMember,
  splice,
  textOf,
  valueSpan,
} from '../json-splice.ts';
import type { HiddenTurn, RequestView, VisibleTurn } from '../view.ts';
import { dropThinking, isThinking } from './drop-thinking.ts';
import { callKey, FORMAT_NAME, previousForm, textKey } from './hide-turn.ts';
import { pairTurns } from './pair-turns.ts';
import { readBlocks } from './read-blocks.ts';
import { visibleForm, withoutThinking } from './visible-form.ts';
import {
  type KeptResult,
  type ResultStyle,
  referencedNames,
  writeResult,
  writeResults,
} from './write-results.ts';

/** The edits that put hidden turns back, and the tools to which their results refer. */
export interface Restoration {
  readonly edits: readonly Edit[];
  readonly referencedNames: readonly string[];
}

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
): Restoration {
  const ours = hiddenTurns.filter(({ format }) => format === FORMAT_NAME);
  if (ours.length === 0 && !dropsThinking) return { edits: [], referencedNames: [] };
  const paired = pairTurns(
    view.turns.map((visible) => keysOf(view, visible)),
    ours,
  );
  const found = view.turns.flatMap((visible, index) => {
    const hidden = findHidden(view, visible, paired[index]!);
    if (hidden) return [restoreTurn(view, visible.position, hidden, { style, dropsThinking })];
    return dropsThinking ? [mendTurn(view, visible.position)] : [];
  });
  return {
    edits: found.flatMap(({ edits }) => edits),
    referencedNames: found.flatMap((restoration) => restoration.referencedNames),
  };
}

function keysOf(view: RequestView, { position, callIds }: VisibleTurn): string[] {
  if (callIds.length > 0) return callIds.map(callKey);
  const visible = visibleForm(readBlocks(messageAt(view, position)));
  return [textKey(visible, previousForm(view, position))];
}

function findHidden(
  view: RequestView,
  { position }: VisibleTurn,
  candidates: readonly HiddenTurn[],
): HiddenTurn | undefined {
  if (candidates.length === 0) return undefined;
  const visible = visibleForm(readBlocks(messageAt(view, position)));
  for (const hidden of candidates) {
    if (hidden.visible === visible) return hidden;
    // A client that sends no thinking back wants none in its history.
    if (withoutThinking(hidden.visible) === visible) return withoutThoughts(hidden);
  }
  return undefined;
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
): Restoration {
  const mend = (message: string) => (dropsThinking ? dropThinking(message, view) : message);
  const results = hidden.results.map((result) => JSON.parse(result) as KeptResult);
  const span = view.spans.messages[position]!;
  const shown = textOf(view.text, span);
  const edits = results.length === 0 ? [] : placeResults(view, position + 1, results, style);
  const lacksPlace = results.length > 0 && edits.length === 0;
  const message = lacksPlace ? shown : moveMark(shown, hidden.message);
  const before = readBefore(hidden.before, style);
  // A last message of which nothing was left, such as a search that was cut off, is not sent: it may not be empty.
  const spoken = [...before.messages, ...(readBlocks(JSON.parse(message)).length > 0 ? [message] : [])];
  const messages = spoken.map(mend);
  return {
    edits: [{ ...span, text: messages.join(',') }, ...edits],
    referencedNames: [
      ...before.referencedNames,
      ...(lacksPlace ? [] : results.flatMap((result) => referencedNames(result, style))),
    ],
  };
}

/** A turn of which nothing was hidden, or nothing is known any more. */
function mendTurn(view: RequestView, position: number): Restoration {
  const span = view.spans.messages[position]!;
  const shown = textOf(view.text, span);
  const mended = dropThinking(shown, view);
  return { edits: mended === shown ? [] : [{ ...span, text: mended }], referencedNames: [] };
}

function readBefore(
  before: readonly string[],
  style: ResultStyle,
): { messages: string[]; referencedNames: string[] } {
  const messages: string[] = [];
  const names: string[] = [];
  for (const part of before) {
    const results = isMessage(part) ? [] : (JSON.parse(part) as KeptResult[]);
    messages.push(isMessage(part) ? part : writeResults(results, style));
    names.push(...results.flatMap((result) => referencedNames(result, style)));
  }
  return { messages, referencedNames: names };
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
  const content = memberSpan(view.text, view.spans.messages[position]!.start, 'content')!;
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
  const content = memberSpan(message, valueSpan(message).start, 'content');
  return content === undefined ? undefined : elementsOf(message, content.start).at(-1);
}

function messageAt({ body }: RequestView, position: number): unknown {
  return (body.messages as readonly unknown[])[position];
}
