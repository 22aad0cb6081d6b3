import { isJsonObject } from '../json/json-splice.ts';
import { isBindingModel } from '../turns/binding-models.ts';
import { type BlockDialect, blockTurns } from '../turns/block-turns.ts';
import { isReasoning, readBlocks, signatureOf, toolUseOf } from './read-blocks.ts';
import { visibleForm } from './visible-form.ts';

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
