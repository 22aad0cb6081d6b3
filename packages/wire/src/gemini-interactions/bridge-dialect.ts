import { BlockCalls, type BlockPlaces } from '../bridge/block-calls.ts';
import type { BridgeDialect, CallWriter } from '../bridge/call-writer.ts';
import { memberOf, withElements, withMembers } from '../json/json-members.ts';
import { isJsonObject, type JsonObject, textOrNone } from '../json/json-value.ts';
import { isFunctionCall } from './read-request.ts';
import { END } from './read-round.ts';

const PLACES: BlockPlaces = {
  index: 'index',
  begin: { word: '"function_call"', place: ['step'] },
  piece: { word: 'arguments_delta', place: ['delta'], member: 'arguments' },
  isBlockEnd: ({ event_type: type }) => type === 'step.stop',
  isEnd: ({ event_type: type }) => type === END || type === 'error',
  content: ['steps'],
  call: [],
  isCall: isFunctionCall,
  input: 'arguments',
};

/** Bridge mode in Interactions. */
export const bridgeDialect: BridgeDialect = {
  readCalls: () => new BlockCalls(PLACES),
  parametersOf: (definition) => (isJsonObject(definition) ? definition.parameters : undefined),
  writeElement,
};

/** Writes a call of the history, or the names in its results. */
function writeElement(text: string, element: unknown, calls: CallWriter): string {
  if (!isJsonObject(element)) return text;
  if (isFunctionCall(element)) return writeCall(text, element, calls);
  return renameResults(text, element, (name, id) => calls.nameOf(name, id));
}

/** Returns the name of the tool that a result names, by its call. */
type NameOf = (name: string, id: string | undefined) => string;

/** Writes a step with other names of tools in its results. */
export function renameResults(text: string, element: unknown, nameOf: NameOf): string {
  if (!isJsonObject(element)) return text;
  if (element.type === 'function_result') return renameResult(text, element, nameOf);
  if (element.type !== 'user_input' || !Array.isArray(element.content)) return text;
  // The AI SDK writes results as contents of a user step.
  const contents: readonly unknown[] = element.content;
  return withElements(text, 'content', (content, at) => {
    const read = contents[at];
    const isResult = isJsonObject(read) && read.type === 'function_result';
    return isResult ? renameResult(content, read, nameOf) : content;
  });
}

function writeCall(text: string, { id, name }: JsonObject, calls: CallWriter): string {
  const given = memberOf(text, 'arguments') ?? '';
  const written = calls.write({ id: textOrNone(id), name: String(name), arguments: given });
  if (written === undefined) return text;
  return withMembers(text, { name: JSON.stringify(written.name), arguments: written.arguments });
}

function renameResult(text: string, { call_id: id, name }: JsonObject, nameOf: NameOf): string {
  if (typeof name !== 'string') return text;
  const shown = nameOf(name, textOrNone(id));
  return shown === name ? text : withMembers(text, { name: JSON.stringify(shown) });
}
