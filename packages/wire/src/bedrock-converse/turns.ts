import { isJsonObject, type JsonObject } from '../json/json-value.ts';
import { type BlockDialect, blockTurns, isBindingModel } from '../turns/block-turns.ts';
import { writeForm } from '../turns/visible-form.ts';
import { isReasoning, readBlocks, signatureOf, toolUseOf } from './read-request.ts';

/** The blocks of Converse. */
export const dialect: BlockDialect = {
  format: 'bedrock-converse',
  readBlocks,
  callOf: (block) => {
    const call = toolUseOf(block);
    return call && { id: call.toolUseId, name: call.name };
  },
  isThinking: isReasoning,
  signatureOf,
  visibleForm,
  saidInBlock: (block) => (typeof block.text === 'string' ? block.text : visibleForm([block])),
  // Some models require thinking wherever it is not bound.
  keepsThinking: ({ model }) => !isBindingModel(model),
  // Each model has its own field for thinking.
  askedThinking: ({ additionalModelRequestFields: more }) =>
    isJsonObject(more) ? (more.thinking ?? more.reasoning_config) : undefined,
};

/** The turns of Converse. */
export const turns = blockTurns(dialect);

/**
 * Returns the normal form of a message, which is the same for all the ways in which clients send it back.
 *
 * The form ignores white space, the division of text into blocks, cache points and null members. A signature
 * identifies thinking. Everything else counts, because a client's deliberate changes must stay. Empty when
 * the message has no content.
 */
function visibleForm(blocks: readonly JsonObject[]): string {
  return writeForm(blocks.filter((block) => !('cachePoint' in block)).map(meaningOf));
}

function meaningOf(block: JsonObject): string | object {
  if (typeof block.text === 'string') return block.text;
  if (isReasoning(block)) return ['thinking', signatureOf(block) ?? block];
  const call = toolUseOf(block);
  return call === undefined ? block : ['call', call.toolUseId, call.name, call.input];
}
