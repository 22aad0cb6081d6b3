import { AnthropicBedrock, AnthropicBedrockMantle } from '@anthropic-ai/bedrock-sdk';
import Anthropic from '@anthropic-ai/sdk';
import type {
  Message,
  MessageCreateParamsNonStreaming,
  MessageParam,
  Tool,
  ToolResultBlockParam,
} from '@anthropic-ai/sdk/resources/messages';
import { AWS_CREDENTIALS, AWS_REGION, BEDROCK, MANTLE_ANTHROPIC } from './aws-credentials.ts';
import {
  askUnlessLeft,
  type ConversationRequest,
  MAX_STEPS,
  runTool,
  type TestClient,
  thinkingOf,
  withFetch,
} from './test-client.ts';

/** The `@anthropic-ai/sdk` package. */
export const anthropic: TestClient = {
  name: '@anthropic-ai/sdk',
  format: 'anthropic',
  converse: (request) =>
    converse(
      request,
      new Anthropic({ baseURL: request.url, apiKey: 'key', maxRetries: 0, ...withFetch(request) }),
    ),
};

const OF_AWS = {
  awsAccessKey: AWS_CREDENTIALS.accessKeyId,
  awsSecretKey: AWS_CREDENTIALS.secretAccessKey,
  awsRegion: AWS_REGION,
  maxRetries: 0,
};

/** The `@anthropic-ai/bedrock-sdk` package, which turns Messages into InvokeModel and back, and signs. */
export const anthropicBedrock: TestClient = {
  name: '@anthropic-ai/bedrock-sdk',
  format: 'invoke',
  signs: BEDROCK,
  converse: (request) => converse(request, new AnthropicBedrock({ baseURL: request.url, ...OF_AWS })),
};

/** Its other client, which sends Messages unchanged, and signs. */
export const anthropicMantle: TestClient = {
  name: '@anthropic-ai/bedrock-sdk, mantle',
  format: 'anthropic',
  signs: MANTLE_ANTHROPIC,
  converse: (request) => {
    const { awsSecretKey: awsSecretAccessKey, ...more } = OF_AWS;
    return converse(
      request,
      new AnthropicBedrockMantle({ baseURL: request.url, awsSecretAccessKey, ...more }),
    );
  },
};

function converse(
  request: ConversationRequest,
  { messages }: { readonly messages: Pick<Anthropic['messages'], 'create' | 'stream'> },
): Promise<unknown[]> {
  return converseByMessages(request, (body, signal) =>
    request.isStream ? messages.stream(body, { signal }).finalMessage() : messages.create(body, { signal }),
  );
}

/** Sends one request of the Messages API, by any of the ways. */
export type AskForMessage = (
  body: MessageCreateParamsNonStreaming,
  signal: AbortSignal | undefined,
) => Promise<Message>;

/** A conversation in Anthropic's Messages. */
export async function converseByMessages(
  request: ConversationRequest,
  askForMessage: AskForMessage,
): Promise<unknown[]> {
  const messages: MessageParam[] = [];
  const transcript: unknown[] = [];
  const ask = (signal: AbortSignal | undefined): Promise<Message> => {
    const body = {
      model: request.model,
      max_tokens: 4_096,
      messages,
      tools: request.tools.map(
        ({ name, description, parameters }): Tool => ({
          name,
          description,
          input_schema: parameters as Tool.InputSchema,
        }),
      ),
      ...(request.thinks && { thinking: thinkingOf(request.model) }),
    };
    return askForMessage(body, signal);
  };
  for (const content of request.userMessages) {
    messages.push({ role: 'user', content });
    for (let step = 0; step < MAX_STEPS; step++) {
      const { usage: _, ...answer } = await askUnlessLeft(request, ask);
      transcript.push({ ...answer, content: answer.content.filter((block) => block.type !== 'thinking') });
      messages.push({ role: 'assistant', content: answer.content });
      const results = answer.content.flatMap((block): ToolResultBlockParam[] =>
        block.type === 'tool_use'
          ? [{ type: 'tool_result', tool_use_id: block.id, content: runTool(block.name, block.input) }]
          : [],
      );
      if (results.length === 0) break;
      messages.push({ role: 'user', content: results });
    }
  }
  return transcript;
}
