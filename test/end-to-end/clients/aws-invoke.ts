import type { Message, RawMessageStreamEvent } from '@anthropic-ai/sdk/resources/messages';
import {
  type BedrockRuntimeClient,
  InvokeModelCommand,
  InvokeModelWithResponseStreamCommand,
  type ResponseStream,
} from '@aws-sdk/client-bedrock-runtime';
import { type AskForMessage, converseByMessages } from './anthropic.ts';
import { openAwsClient } from './aws-client.ts';
import { BEDROCK } from './aws-credentials.ts';
import type { TestClient } from './test-client.ts';

/**
 * Claude by InvokeModel and the `@aws-sdk/client-bedrock-runtime` package, whose users write the bodies
 * themselves.
 */
export const awsInvoke: TestClient = {
  name: '@aws-sdk/client-bedrock-runtime, InvokeModel',
  format: 'invoke',
  signs: BEDROCK,
  converse: async (request) => {
    const client = await openAwsClient(request.url);
    try {
      return await converseByMessages(request, askBy(client, request.isStream));
    } finally {
      client.destroy();
    }
  },
};

const askBy =
  (client: BedrockRuntimeClient, isStream: boolean): AskForMessage =>
  async ({ model, ...body }, signal) => {
    const input = {
      modelId: model,
      contentType: 'application/json',
      body: JSON.stringify({ anthropic_version: 'bedrock-2023-05-31', ...body }),
    };
    const options = signal && { abortSignal: signal };
    if (isStream) {
      const response = await client.send(new InvokeModelWithResponseStreamCommand(input), options);
      return assemble(response.body!);
    }
    const response = await client.send(new InvokeModelCommand(input), options);
    return JSON.parse(response.body.transformToString()) as Message;
  };

/** A message put together from the events of its stream, as Anthropic documents it. */
async function assemble(stream: AsyncIterable<ResponseStream>): Promise<Message> {
  let message: Message | undefined;
  let input = '';
  for await (const { chunk } of stream) {
    const event = JSON.parse(Buffer.from(chunk!.bytes!).toString()) as RawMessageStreamEvent;
    if (event.type === 'message_start') {
      message = event.message;
      continue;
    }
    const { content } = message!;
    if (event.type === 'content_block_start') {
      if (event.index !== content.length)
        throw new Error(`block ${event.index} comes after ${content.length}`);
      content.push(event.content_block);
      input = '';
    } else if (event.type === 'content_block_delta') {
      const block = content[event.index]!;
      const { delta } = event;
      if (delta.type === 'input_json_delta') input += delta.partial_json;
      else if (delta.type === 'text_delta' && block.type === 'text') block.text += delta.text;
      else if (delta.type === 'thinking_delta' && block.type === 'thinking') block.thinking += delta.thinking;
      else if (delta.type === 'signature_delta' && block.type === 'thinking')
        block.signature = delta.signature;
    } else if (event.type === 'content_block_stop') {
      const block = content[event.index]!;
      if (block.type === 'tool_use') block.input = JSON.parse(input || '{}') as unknown;
    } else if (event.type === 'message_delta') Object.assign(message!, event.delta);
  }
  if (message?.stop_reason == null) throw new Error('no end of the message');
  return message;
}
