import type { RequestView, VisibleTurn } from '../format/view.ts';
import { isJsonObject, type JsonObject } from '../json/json-splice.ts';
import { isToolUse, readBlocks, readText, type ToolUse } from './read-blocks.ts';

/** What a request's messages say about the conversation so far. */
export type History = Pick<RequestView, 'calledNames' | 'resultNames' | 'query' | 'firstUserText' | 'turns'>;

/** Reads the visible history once, in order. */
export function readHistory(messages: readonly unknown[]): History {
  const turns: VisibleTurn[] = [];
  const nameOfCall = new Map<string, string>();
  // Ids may come again, names in the order of their first call may not be lost by that.
  const calledNames = new Set<string>();
  const resultNames = new Set<string>();
  const userTexts: string[] = [];
  messages.forEach((message, position) => {
    const role = isJsonObject(message) ? message.role : undefined;
    const blocks = readBlocks(message);
    if (role === 'assistant') {
      const calls = blocks.filter(isToolUse);
      turns.push({ position, callIds: calls.map(({ id }) => id) });
      for (const call of calls.filter(isOwnTool)) {
        nameOfCall.set(call.id, call.name);
        calledNames.add(call.name);
      }
    } else if (role === 'user') {
      for (const name of namesOfResults(blocks, nameOfCall)) addLast(resultNames, name);
      userTexts.push(readText(message));
    }
  });
  return {
    turns,
    calledNames,
    resultNames: [...resultNames],
    query: userTexts.findLast((text) => text !== '') ?? '',
    firstUserText: userTexts[0] ?? '',
  };
}

/** Members of a toolset are no entries of the request's tools, whatever they are called. */
function isOwnTool({ toolset_name: toolset }: ToolUse): boolean {
  return toolset === undefined || toolset === null;
}

function namesOfResults(blocks: readonly JsonObject[], nameOfCall: ReadonlyMap<string, string>): string[] {
  const results = blocks.filter(({ type }) => type === 'tool_result');
  return results.flatMap(({ tool_use_id: id }) => nameOfCall.get(String(id)) ?? []);
}

function addLast(names: Set<string>, name: string): void {
  names.delete(name);
  names.add(name);
}
