import { createAmazonBedrock } from '@ai-sdk/amazon-bedrock';
import { createAmazonBedrockAnthropic } from '@ai-sdk/amazon-bedrock/anthropic';
import { createBedrockMantle } from '@ai-sdk/amazon-bedrock/mantle';
import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import {
  generateText,
  jsonSchema,
  type LanguageModel,
  type ModelMessage,
  stepCountIs,
  streamText,
  type Tool,
  tool,
} from 'ai';
import { AWS_CREDENTIALS, AWS_REGION, BEDROCK, MANTLE_OPENAI } from './aws-credentials.ts';
import {
  askUnlessLeft,
  type ConversationRequest,
  MAX_STEPS,
  runTool,
  type TestClient,
  thinkingOf,
  withFetch,
} from './test-client.ts';

/** The `ai` package with its OpenAI-compatible provider. */
export const aiSdkOpenai: TestClient = {
  name: 'ai, openai-compatible',
  format: 'openai',
  converse: (request) =>
    converseWithAiSdk(
      request,
      createOpenAICompatible({
        name: 'winnow',
        baseURL: `${request.url}/v1`,
        apiKey: 'key',
        ...withFetch(request),
      })(request.model),
    ),
};

/**
 * The `ai` package with its OpenAI provider, which uses Responses, has them stored, and refers to stored
 * items.
 */
export const aiSdkResponses: TestClient = {
  name: 'ai, openai',
  format: 'responses',
  converse: (request) =>
    converseWithAiSdk(
      request,
      createOpenAI({ baseURL: `${request.url}/v1`, apiKey: 'key', ...withFetch(request) })(request.model),
    ),
};

/** The `ai` package with its Anthropic provider. */
export const aiSdkAnthropic: TestClient = {
  name: 'ai, anthropic',
  format: 'anthropic',
  converse: (request) =>
    converseWithAiSdk(
      request,
      createAnthropic({ baseURL: `${request.url}/v1`, apiKey: 'key', ...withFetch(request) })(request.model),
    ),
};

/** The `ai` package with its Google provider, which invents the ids that Gemini's calls lack. */
export const aiSdkGoogle: TestClient = {
  name: 'ai, google',
  format: 'gemini',
  converse: (request) => {
    let made = 0;
    const generateId = () => `id-${made++}`;
    const google = createGoogleGenerativeAI({
      baseURL: `${request.url}/v1beta`,
      apiKey: 'key',
      generateId,
      ...withFetch(request),
    });
    return converseWithAiSdk(request, google(request.model));
  },
};

/** The same with Interactions; it puts results into the user's input. */
export const aiSdkInteractions: TestClient = {
  name: 'ai, google interactions',
  format: 'interactions',
  converse: (request) => {
    const google = createGoogleGenerativeAI({
      baseURL: `${request.url}/v1beta`,
      apiKey: 'key',
      ...withFetch(request),
    });
    return converseWithAiSdk(request, google.interactions(request.model));
  },
};

const OF_AWS = { region: AWS_REGION, ...AWS_CREDENTIALS };

/**
 * The `ai` package with its Bedrock provider, which uses Converse, and signs. The responses have no ids, so
 * it invents some.
 */
export const aiSdkBedrock: TestClient = {
  name: 'ai, amazon-bedrock',
  format: 'converse',
  signs: BEDROCK,
  converse: async (request) => {
    const bedrock = createAmazonBedrock({ baseURL: request.url, ...OF_AWS });
    return withoutIds(await converseWithAiSdk(request, bedrock(request.model)));
  },
};

/** The same with the provider's entry for Claude, which uses InvokeModel. */
export const aiSdkBedrockAnthropic: TestClient = {
  name: 'ai, amazon-bedrock/anthropic',
  format: 'invoke',
  signs: BEDROCK,
  converse: (request) =>
    converseWithAiSdk(
      request,
      createAmazonBedrockAnthropic({ baseURL: request.url, ...OF_AWS })(request.model),
    ),
};

const mantleOf = ({ url }: ConversationRequest) => createBedrockMantle({ baseURL: `${url}/v1`, ...OF_AWS });

/** The same with the provider's entry for OpenAI's formats: Chat Completions. */
export const aiSdkMantle: TestClient = {
  name: 'ai, amazon-bedrock/mantle',
  format: 'openai',
  signs: MANTLE_OPENAI,
  converse: (request) => converseWithAiSdk(request, mantleOf(request)(request.model)),
};

/** The same, with Responses. */
export const aiSdkMantleResponses: TestClient = {
  name: 'ai, amazon-bedrock/mantle, responses',
  format: 'responses',
  signs: MANTLE_OPENAI,
  converse: (request) => converseWithAiSdk(request, mantleOf(request).responses(request.model)),
};

function withoutIds(transcript: readonly unknown[]): unknown[] {
  return transcript.map((step) => ({ ...(step as object), id: undefined }));
}

/** A conversation with a model of any provider's package. */
export async function converseWithAiSdk(
  request: ConversationRequest,
  model: LanguageModel,
): Promise<unknown[]> {
  const messages: ModelMessage[] = [];
  const transcript: unknown[] = [];
  const tools = Object.fromEntries(
    request.tools.map(({ name, description, parameters }): [string, Tool] => [
      name,
      tool({
        description,
        inputSchema: jsonSchema(parameters),
        execute: async (input: unknown) => runTool(name, input),
      }),
    ]),
  );
  const options = {
    model,
    tools,
    maxRetries: 0,
    stopWhen: stepCountIs(MAX_STEPS),
    ...(request.thinks && {
      providerOptions: {
        anthropic: { thinking: aiThinkingOf(request.model) },
        google: { thinkingConfig: { includeThoughts: true }, thinkingSummaries: 'auto' },
        openai: { reasoningEffort: 'low' },
        bedrock: { reasoningConfig: aiThinkingOf(request.model) },
      },
    }),
  };
  for (const content of request.userMessages) {
    messages.push({ role: 'user', content });
    const { steps, said } = await askUnlessLeft(request, async (abortSignal) => {
      const asked = { ...options, messages, ...(abortSignal && { abortSignal }) };
      const result = request.isStream ? streamText(asked) : await generateText(asked);
      return { steps: await result.steps, said: await result.responseMessages };
    });
    for (const step of steps) {
      transcript.push({
        // After hidden searches, it comes from a different round.
        id: step.response.id.replace(/^((?:resp|v1)_.*)r\d+$/, '$1'),
        text: step.text,
        calls: step.toolCalls.map(({ toolCallId, toolName, input }) => ({ toolCallId, toolName, input })),
        finishReason: step.finishReason,
      });
    }
    messages.push(...said);
  }
  return transcript;
}

/** The library has its own name for the budget. */
function aiThinkingOf(model: string): { type: 'adaptive' } | { type: 'enabled'; budgetTokens: number } {
  const thinking = thinkingOf(model);
  return thinking.type === 'adaptive' ? thinking : { type: 'enabled', budgetTokens: thinking.budget_tokens };
}
