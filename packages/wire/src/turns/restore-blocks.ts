import type { Past } from '../format/request-editor.ts';
import type { HiddenTurn, RequestView } from '../format/view.ts';
import { type Edit, elementsOf, isJsonObject, memberSpan, textOf } from '../json/json-splice.ts';
import { dropThinking } from './block-thinking.ts';
import { type BlockDialect, isMessage } from './block-turns.ts';
import type { KeptResult } from './kept-result.ts';
import type { FormatTurns } from './remember-turns.ts';
import { replaceTurn } from './runs.ts';

/** The writers that restore turns in a format of blocks. */
export interface BlockWriter {
  readonly dialect: BlockDialect;
  readonly turns: FormatTurns;
  /** Returns one result as the JSON of a block. */
  writeResult(result: KeptResult): string;
  /** Returns the original message with the cache marks that the client set on its copy. */
  carryMarks?(shown: string, message: string): string;
}

/**
 * Puts back every hidden turn whose visible part is unchanged in the history.
 *
 * Results next to real calls go before the client's own in the following message, because the provider wants
 * results first. Without such a message, they have no place, and that turn's last message stays as the client
 * wrote it.
 */
export function restoreBlocks(
  view: RequestView,
  { hiddenTurns, dropsThinking = false }: Pick<Past, 'hiddenTurns' | 'dropsThinking'>,
  writer: BlockWriter,
): Edit[] {
  const recalled = writer.turns.recallByTurn(view, hiddenTurns);
  const mend = (message: string) => (dropsThinking ? dropThinking(message, view, writer.dialect) : message);
  return view.turns.flatMap(({ position }, index) => {
    const hidden = recalled[index];
    const span = view.spans.history[position]!;
    const shown = textOf(view.text, span);
    if (hidden) return restoreTurn(view, position, hidden, { ...writer, shown, mend });
    const mended = mend(shown);
    return mended === shown ? [] : [{ ...span, text: mended }];
  });
}

/** Returns the user message with results of searches, given and returned as JSON. */
export function resultsMessage(results: readonly string[]): string {
  return `{"role":"user","content":[${results.join(',')}]}`;
}

interface TurnWriter extends BlockWriter {
  readonly shown: string;
  readonly mend: (message: string) => string;
}

function restoreTurn(
  view: RequestView,
  position: number,
  hidden: HiddenTurn,
  { dialect, shown, mend, writeResult, carryMarks = (_, message) => message }: TurnWriter,
): Edit[] {
  const write = (results: string) => (JSON.parse(results) as KeptResult[]).map(writeResult);
  const isEmpty = dialect.readBlocks(JSON.parse(hidden.message)).length === 0;
  const place = isEmpty || hidden.results.length > 0 ? placeOfResults(view, position + 1) : undefined;
  const lacksPlace = hidden.results.length > 0 && place === undefined;
  const last = lacksPlace ? shown : carryMarks(shown, hidden.message);
  // An empty last message, which a search that was cut off leaves, is not sent: the provider refuses it.
  const spoken = isEmpty && !lacksPlace ? [] : [mend(last)];
  // The results before it then join the next message: Converse refuses two messages of the user in a row.
  const isJoined = spoken.length === 0 && place !== undefined && hidden.before.length > 0;
  const parts = isJoined ? hidden.before.slice(0, -1) : hidden.before;
  // Results are written in their order: a tool is defined in the first one that names it.
  const before = parts.map((part) => (isMessage(part) ? mend(part) : resultsMessage(write(part))));
  const joined = isJoined ? write(hidden.before.at(-1)!) : [];
  const results = hidden.results.map((result) => writeResult(JSON.parse(result) as KeptResult));
  const text = [...joined, ...results].map((result) => `${result},`).join('');
  const placed = place === undefined ? [] : [{ start: place, end: place, text }];
  return [replaceTurn(view.spans.history[position]!, { before, spoken }), ...placed];
}

/** Returns the beginning of a user message's blocks; undefined when its content is not a list of them. */
function placeOfResults({ history, spans, text }: RequestView, position: number): number | undefined {
  const message = history[position];
  if (!isJsonObject(message) || message.role !== 'user' || !Array.isArray(message.content)) return undefined;
  const content = memberSpan(text, spans.history[position]!.start, 'content')!;
  return elementsOf(text, content.start)[0]?.start;
}
