import { hashText } from '../hash-text.ts';
import { elementsOf, isJsonObject, type JsonObject, memberSpan, splice, textOf } from '../json-splice.ts';
import type { HiddenTurn, RequestView, Round, Turn } from '../view.ts';
import { isToolUse, readBlocks } from './read-blocks.ts';
import { visibleForm, withoutThinking } from './visible-form.ts';
import { keepResult } from './write-results.ts';

/** The name of the format in configuration, records and hidden turns. */
export const FORMAT_NAME = 'anthropic-messages';

/**
 * What to keep of an exchange, undefined when the client saw all of it.
 *
 * `before` has, for each round but the last, the assistant's message and the list of its `KeptResult`s.
 */
export function hideTurn(view: RequestView, rounds: readonly Round[]): HiddenTurn | undefined {
  const last = rounds.at(-1);
  if (last === undefined || rounds.every(({ turn }) => turn.searches.length === 0)) return undefined;
  const shown = rounds.flatMap(({ turn }) => visibleBlocks(turn));
  const visible = visibleForm(shown);
  if (visible === '') return undefined;
  const calls = shown.filter(isToolUse);
  const position = (view.body.messages as readonly unknown[]).length;
  return {
    format: FORMAT_NAME,
    keys:
      calls.length > 0
        ? calls.map(({ id }) => callKey(id))
        : [textKey(visible, previousForm(view, position))],
    visible,
    before: rounds
      .slice(0, -1)
      .flatMap(({ turn, results }) => [turn.message, JSON.stringify(results.map(keepResult))]),
    message: withoutUnanswered(last),
    results: last.results.map((result) => JSON.stringify(keepResult(result))),
  };
}

/** The key of a visible turn that has a call of this id. */
export function callKey(id: string): string {
  return `call:${id}`;
}

/** The key of a visible turn without calls: what it says, thinking apart, and what the user's message in front of it says. */
export function textKey(visible: string, previous: string): string {
  return `text:${hashText(previous + withoutThinking(visible))}`;
}

/** What the user's message in front of a position says, which tells apart two turns that say the same. */
export function previousForm({ body }: RequestView, position: number): string {
  const messages = body.messages as readonly unknown[];
  for (let index = position - 1; index >= 0; index -= 1) {
    const message = messages[index];
    if (isJsonObject(message) && message.role === 'user') return visibleForm(readBlocks(message));
  }
  return '';
}

/** A search without a result, such as one that nobody could answer any more, may not stand in a history. */
function withoutUnanswered({ turn, results }: Round): string {
  const { message, searches } = turn;
  const answered = new Set(results.map(({ callId }) => callId));
  const unanswered = new Set(searches.flatMap(({ id }) => (answered.has(id) ? [] : [id])));
  if (unanswered.size === 0) return message;
  const content = memberSpan(message, 0, 'content')!;
  const kept = elementsOf(message, content.start)
    .map((span) => textOf(message, span))
    .filter((block) => !unanswered.has(callId(block)));
  return splice(message, [{ ...content, text: `[${kept.join(',')}]` }]);
}

/** The id of a block that is a call; empty for others. */
function callId(text: string): string {
  const block = JSON.parse(text) as JsonObject;
  return isToolUse(block) ? block.id : '';
}

function visibleBlocks({ message, searches }: Turn): JsonObject[] {
  const searchIds = new Set<unknown>(searches.map(({ id }) => id));
  return readBlocks(JSON.parse(message)).filter(({ type, id }) => type !== 'tool_use' || !searchIds.has(id));
}
