import { isJsonObject, type JsonObject, objectsOf } from '../upstream/json-object.ts';

/**
 * Translates a Converse request into a Messages request, so that both formats share validation and the model.
 */
export function toMessagesBody(body: JsonObject): JsonObject {
  const config = isJsonObject(body.toolConfig) ? body.toolConfig : {};
  const more = isJsonObject(body.additionalModelRequestFields) ? body.additionalModelRequestFields : {};
  const inference = isJsonObject(body.inferenceConfig) ? body.inferenceConfig : {};
  return {
    system: objectsOf(body.system).flatMap((block) => toBlock(block)),
    tools: objectsOf(config.tools).flatMap(toTool),
    messages: objectsOf(body.messages).map(({ role, content }) => ({
      role,
      content: objectsOf(content).flatMap((block) => toBlock(block)),
    })),
    max_tokens: inference.maxTokens,
    ...(more.thinking !== undefined && { thinking: more.thinking }),
  };
}

/** Translates a finished Messages block into a Converse block. */
export function toConverseBlock(block: JsonObject): JsonObject {
  switch (block.type) {
    case 'text':
      return { text: block.text };
    case 'tool_use':
      return { toolUse: { toolUseId: block.id, name: block.name, input: block.input } };
    case 'thinking':
      return { reasoningContent: { reasoningText: { text: block.thinking, signature: block.signature } } };
    case 'redacted_thinking':
      return { reasoningContent: { redactedContent: block.data } };
    default:
      return block;
  }
}

function toTool({ toolSpec }: JsonObject): JsonObject[] {
  if (!isJsonObject(toolSpec)) return [];
  const { name, description, inputSchema } = toolSpec;
  return [{ name, description, input_schema: isJsonObject(inputSchema) ? inputSchema.json : undefined }];
}

function toBlock({
  text,
  toolUse,
  toolResult,
  reasoningContent,
  cachePoint,
  ...other
}: JsonObject): JsonObject[] {
  if (typeof text === 'string') return [{ type: 'text', text }];
  if (isJsonObject(toolUse)) {
    return [{ type: 'tool_use', id: toolUse.toolUseId, name: toolUse.name, input: toolUse.input }];
  }
  if (isJsonObject(toolResult)) {
    const content = objectsOf(toolResult.content).flatMap((block) =>
      'json' in block ? [{ type: 'text', text: JSON.stringify(block.json) }] : toBlock(block),
    );
    return [{ type: 'tool_result', tool_use_id: toolResult.toolUseId, content }];
  }
  if (isJsonObject(reasoningContent)) {
    const { reasoningText, redactedContent } = reasoningContent;
    if (!isJsonObject(reasoningText)) return [{ type: 'redacted_thinking', data: redactedContent }];
    return [{ type: 'thinking', thinking: reasoningText.text, signature: reasoningText.signature }];
  }
  return cachePoint === undefined ? [{ type: 'other', ...other }] : [];
}
