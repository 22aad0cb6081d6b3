import { BlockCalls, type BlockPlaces, writeBlocks } from '../bridge/block-calls.ts';
import type { BridgeDialect } from '../bridge/bridge-dialect.ts';
import { isJsonObject } from '../json/json-splice.ts';

const PLACES: BlockPlaces = {
  index: 'index',
  begin: { word: '"tool_use"', place: ['content_block'] },
  piece: { word: 'input_json_delta', place: ['delta'], member: 'partial_json' },
  isBlockEnd: ({ type }) => type === 'content_block_stop',
  isEnd: ({ type }) => type === 'message_delta' || type === 'message_stop' || type === 'error',
  content: ['content'],
  call: [],
  isCall: ({ type }) => type === 'tool_use',
  input: 'input',
};

/** Bridge mode in Messages. */
export const bridgeDialect: BridgeDialect = {
  readCalls: () => new BlockCalls(PLACES),
  parametersOf: (definition) => (isJsonObject(definition) ? definition.input_schema : undefined),
  writeElement: (text, message, calls) => writeBlocks(text, message, { calls, places: PLACES }),
};
