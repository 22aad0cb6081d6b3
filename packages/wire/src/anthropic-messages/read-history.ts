import type { VisibleTurn } from '../format/view.ts';
import { isJsonObject } from '../json/json-splice.ts';
import { type HistoryFacts, NamesInHistory } from '../request/names-in-history.ts';
import { isToolUse, readBlocks, readText, type ToolUse } from './read-blocks.ts';

/** Reads the visible history once, in order. */
export function readHistory(messages: readonly unknown[]): HistoryFacts {
  const turns: VisibleTurn[] = [];
  const names = new NamesInHistory();
  const userTexts: string[] = [];
  messages.forEach((message, position) => {
    const role = isJsonObject(message) ? message.role : undefined;
    const blocks = readBlocks(message);
    if (role === 'assistant') {
      const calls = blocks.filter(isToolUse);
      turns.push({ position, callIds: calls.map(({ id }) => id) });
      for (const call of calls.filter(isOwnTool)) names.call(call.name, call.id);
    } else if (role === 'user') {
      for (const { type, tool_use_id: id } of blocks) if (type === 'tool_result') names.resultOf(String(id));
      userTexts.push(readText(message));
    }
  });
  return { turns, ...names.factsWith(userTexts) };
}

/** Members of a toolset are never entries of the request's tools, even if their names match. */
function isOwnTool({ toolset_name: toolset }: ToolUse): boolean {
  return toolset === undefined || toolset === null;
}
