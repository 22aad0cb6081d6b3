import { elementsOf, type JsonObject, memberSpan, splice, textOf } from '../json-splice.ts';
import { foundNames, keepResult } from '../kept-result.ts';
import type { HiddenTurn, RequestView, Round, Turn, TurnKeys } from '../view.ts';
import { FORMAT_NAME } from './format-name.ts';
import { keysOfShown } from './history-keys.ts';
import { readBlocks, toolUseOf } from './read-blocks.ts';
import { visibleForm } from './visible-form.ts';

/**
 * What to keep of an exchange, undefined when the client saw all of it.
 *
 * `before` has, for each round but the last, the assistant's message and the list of its `KeptResult`s.
 */
export function hideTurn(view: RequestView, rounds: readonly Round[]): HiddenTurn | undefined {
  const last = rounds.at(-1);
  if (last === undefined || rounds.every(({ turn }) => turn.searches.length === 0)) return undefined;
  const shown = rounds.flatMap(({ turn }) => shownBlocks(turn));
  const visible = visibleForm(shown);
  if (visible === '') return undefined;
  return {
    format: FORMAT_NAME,
    keys: keysOfShown(view, shown),
    names: foundNames(rounds),
    visible,
    before: rounds
      .slice(0, -1)
      .flatMap(({ turn, results }) => [turn.message, JSON.stringify(results.map(keepResult))]),
    message: withoutUnanswered(last),
    results: last.results.map((result) => JSON.stringify(keepResult(result))),
  };
}

/** The keys of what the client sees of these rounds; undefined when it sees nothing. */
export function shownKeys(view: RequestView, rounds: readonly Round[]): TurnKeys | undefined {
  const shown = rounds.flatMap(({ turn }) => shownBlocks(turn));
  return visibleForm(shown) === '' ? undefined : keysOfShown(view, shown);
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
    .filter((block) => !unanswered.has(toolUseOf(JSON.parse(block) as JsonObject)?.toolUseId ?? ''));
  return splice(message, [{ ...content, text: `[${kept.join(',')}]` }]);
}

function shownBlocks({ message, searches }: Turn): JsonObject[] {
  const ids = new Set(searches.map(({ id }) => id));
  return readBlocks(JSON.parse(message)).filter((block) => !ids.has(toolUseOf(block)?.toolUseId ?? ''));
}
