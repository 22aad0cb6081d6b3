import type { VisibleTurn } from '../format/view.ts';
import { isJsonObject } from '../json/json-splice.ts';
import { type HistoryFacts, NamesInHistory } from '../request/names-in-history.ts';
import { readBlocks, readText, resultIdOf, toolUseOf } from './read-blocks.ts';

/** Reads the visible history once, in order. */
export function readHistory(messages: readonly unknown[]): HistoryFacts {
  const turns: VisibleTurn[] = [];
  const names = new NamesInHistory();
  const userTexts: string[] = [];
  for (const [position, message] of messages.entries()) {
    const role = isJsonObject(message) ? message.role : undefined;
    const blocks = readBlocks(message);
    if (role === 'assistant') {
      const calls = blocks.flatMap((block) => toolUseOf(block) ?? []);
      turns.push({ position, callIds: calls.map(({ toolUseId }) => toolUseId) });
      for (const { toolUseId, name } of calls) names.call(name, toolUseId);
    } else if (role === 'user') {
      for (const block of blocks) names.resultOf(resultIdOf(block) ?? '');
      userTexts.push(readText(message));
    }
  }
  return { turns, ...names.factsWith(userTexts) };
}
