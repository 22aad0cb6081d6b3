import { BlockCalls, type BlockPlaces, writeBlocks } from '../bridge/block-calls.ts';
import type { BridgeDialect } from '../bridge/bridge-dialect.ts';
import { isJsonObject } from '../json/json-splice.ts';

const PLACES: BlockPlaces = {
  index: 'contentBlockIndex',
  begin: { word: '"toolUse"', place: ['start', 'toolUse'] },
  piece: { word: '"toolUse"', place: ['delta', 'toolUse'], member: 'input' },
  isBlockEnd: (_, name) => name === 'contentBlockStop',
  isEnd: (_, name) => name === 'messageStop' || name === 'metadata',
  content: ['output', 'message', 'content'],
  call: ['toolUse'],
  // Calls that the provider runs itself are not the client's.
  isCall: ({ type }) => type !== 'server_tool_use',
  input: 'input',
};

/** Bridge mode in Converse. */
export const bridgeDialect: BridgeDialect = {
  readCalls: () => new BlockCalls(PLACES),
  parametersOf: (definition) => {
    const spec = isJsonObject(definition) ? definition.toolSpec : undefined;
    const schema = isJsonObject(spec) ? spec.inputSchema : undefined;
    return isJsonObject(schema) ? schema.json : undefined;
  },
  writeElement: (text, message, calls) => writeBlocks(text, message, { calls, places: PLACES }),
};
