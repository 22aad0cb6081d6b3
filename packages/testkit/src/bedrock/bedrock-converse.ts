import { findCallFaults } from '../anthropic-messages/find-call-faults.ts';
import { findThinkingFaults } from '../anthropic-messages/find-thinking-faults.ts';
import { messagesStopReason } from '../anthropic-messages/messages-stop-reason.ts';
import { readMessagesConversation } from '../anthropic-messages/read-messages-conversation.ts';
import { blockParts, createBlockWriter, isBlockPart } from '../anthropic-messages/write-messages-blocks.ts';
import type { IdPrefixes } from '../model/conversation.ts';
import type { CompleteAnswer } from '../upstream/complete-answer.ts';
import { isJsonObject, type JsonObject } from '../upstream/json-object.ts';
import type { ProviderRules } from '../upstream/provider-rules.ts';
import { textOf } from '../upstream/read-pieces.ts';
import { badRequest, type Rejection } from '../upstream/rejection.ts';
import type { Usage } from '../upstream/scripted-answer.ts';
import type { SseEvent, StreamItem } from '../upstream/stream-item.ts';
import type { ProviderRequest, UpstreamFormat } from '../upstream/upstream-format.ts';
import {
  bedrockHeaders,
  bedrockStreamError,
  modelInBedrockPath,
  writeBedrockError,
} from './bedrock-error.ts';
import { eventStreamFraming } from './event-stream-framing.ts';
import { findConverseFaults } from './find-converse-faults.ts';
import { toConverseBlock, toMessagesBody } from './to-messages-body.ts';

const ID_PREFIXES: IdPrefixes = { message: '', call: 'tooluse_Ab' };

/** Bedrock's Converse, whole and as an event stream, with an Anthropic model. */
export const BEDROCK_CONVERSE: UpstreamFormat = {
  pathEnds: ['/converse', '/converse-stream'],
  // The provider pads its frames, so that their lengths reveal nothing.
  framing: eventStreamFraming({
    kindOf: ({ event }) => event ?? '',
    payloadOf: ({ data }) => JSON.stringify({ ...JSON.parse(data), p: 'abcdefghijklmn' }),
  }),
  modelOf: ({ path }) => modelInBedrockPath(path),
  idPrefixes: ID_PREFIXES,
  signs: { ping: undefined, error: bedrockStreamError },
  validate: validateConverse,
  writeError: writeBedrockError,
  writeHeaders: bedrockHeaders,
  wantsStream: ({ path }) => /\/converse-stream(?:\?|$)/.test(path),
  writeWhole,
  writeStream,
  readConversation: (body) => ({
    ...readMessagesConversation(toMessagesBody(body)),
    idPrefixes: ID_PREFIXES,
  }),
};

function validateConverse(request: ProviderRequest, rules: ProviderRules): Rejection | undefined {
  for (const rejection of findFaults(request, rules)) return rejection;
  return undefined;
}

function* findFaults({ headers, json, path }: ProviderRequest, rules: ProviderRules): Generator<Rejection> {
  if (!headers.authorization) yield { status: 403, message: 'Missing Authentication Token' };
  if (!isJsonObject(json)) {
    yield badRequest('The request body is not valid JSON.');
    return;
  }
  yield* findConverseFaults(json);
  const body = { ...toMessagesBody(json), model: modelInBedrockPath(path) };
  yield* findCallFaults(body);
  yield* findThinkingFaults(body, { headers, rules });
}

function writeWhole(answer: CompleteAnswer, body: JsonObject): JsonObject {
  const writer = createBlockWriter(toMessagesBody(body));
  const content = blockParts(answer).map((part) =>
    toConverseBlock(writer.finish(part, part.type === 'block' ? '' : textOf(part.pieces))),
  );
  return {
    metrics: { latencyMs: 100 },
    output: { message: { content, role: 'assistant' } },
    stopReason: messagesStopReason(answer),
    usage: usageOf(answer.usage),
    ...answer.fields,
  };
}

function* writeStream(answer: CompleteAnswer, body: JsonObject): Generator<StreamItem> {
  yield event('messageStart', { role: 'assistant' });
  const writer = createBlockWriter(toMessagesBody(body));
  let contentBlockIndex = 0;
  for (const part of answer.parts) {
    if (!isBlockPart(part)) {
      yield part;
      continue;
    }
    const delta = (content: JsonObject) => event('contentBlockDelta', { contentBlockIndex, delta: content });
    if (part.type === 'call') {
      const start = { toolUse: { name: part.name, toolUseId: part.id } };
      yield event('contentBlockStart', { contentBlockIndex, start });
    }
    let text = '';
    for (const piece of part.type === 'block' ? [] : part.pieces) {
      if (typeof piece !== 'string') yield piece;
      else {
        text += piece;
        if (part.type === 'call') yield delta({ toolUse: { input: piece } });
        else yield delta(part.type === 'text' ? { text: piece } : { reasoningContent: { text: piece } });
      }
    }
    const block = writer.finish(part, text);
    if (part.type === 'thinking') yield delta({ reasoningContent: { signature: block.signature } });
    if (part.type === 'block') yield delta(toConverseBlock(block));
    yield event('contentBlockStop', { contentBlockIndex });
    contentBlockIndex += 1;
  }
  yield event('messageStop', { stopReason: messagesStopReason(answer), ...answer.fields });
  yield event('metadata', { metrics: { latencyMs: 100 }, usage: usageOf(answer.usage) });
}

function usageOf({
  inputTokens,
  outputTokens,
  cacheReadTokens = 0,
  cacheWriteTokens = 0,
}: Usage): JsonObject {
  return {
    inputTokens,
    outputTokens,
    totalTokens: inputTokens + outputTokens + cacheReadTokens + cacheWriteTokens,
    // The service writes these members twice.
    cacheReadInputTokens: cacheReadTokens,
    cacheReadInputTokenCount: cacheReadTokens,
    cacheWriteInputTokens: cacheWriteTokens,
    cacheWriteInputTokenCount: cacheWriteTokens,
  };
}

function event(name: string, data: JsonObject): SseEvent {
  return { type: 'event', event: name, data: JSON.stringify(data) };
}
