import { BedrockRuntimeClient } from '@aws-sdk/client-bedrock-runtime';
import { ChatAnthropic } from '@langchain/anthropic';
import { ChatBedrockConverse } from '@langchain/aws';
import {
  type AIMessage,
  type AIMessageChunk,
  type BaseMessage,
  HumanMessage,
  ToolMessage,
} from '@langchain/core/messages';
import { concat } from '@langchain/core/utils/stream';
import { ChatGoogleGenerativeAI } from '@langchain/google-genai';
import { ChatOpenAI } from '@langchain/openai';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { BEDROCK, CLIENT_CREDENTIALS } from './aws-credentials.ts';
import {
  askUnlessLeft,
  type ConversationRequest,
  MAX_STEPS,
  runTool,
  type TestClient,
  thinkingOf,
  withFetch,
} from './test-client.ts';

/** The `@langchain/openai` package. */
export const langchainOpenai: TestClient = {
  name: '@langchain/openai',
  format: 'openai',
  converse: (request) =>
    converseWithLangchain(
      request,
      new ChatOpenAI({
        model: request.model,
        apiKey: 'key',
        maxRetries: 0,
        configuration: { baseURL: `${request.url}/v1`, ...withFetch(request) },
      }).bindTools(request.tools.map((tool) => ({ type: 'function', function: tool }))),
    ),
};

/** The `@langchain/openai` package with Responses. */
export const langchainResponses: TestClient = {
  name: '@langchain/openai, responses',
  format: 'responses',
  converse: (request) =>
    converseWithLangchain(
      request,
      new ChatOpenAI({
        model: request.model,
        apiKey: 'key',
        maxRetries: 0,
        useResponsesApi: true,
        configuration: { baseURL: `${request.url}/v1`, ...withFetch(request) },
        ...(request.thinks && { reasoning: { effort: 'low' as const } }),
      }).bindTools(request.tools.map((tool) => ({ type: 'function', function: tool }))),
    ),
};

/** The `@langchain/anthropic` package. */
export const langchainAnthropic: TestClient = {
  name: '@langchain/anthropic',
  format: 'anthropic',
  converse: (request) =>
    converseWithLangchain(
      request,
      new ChatAnthropic({
        model: request.model,
        apiKey: 'key',
        maxRetries: 0,
        maxTokens: 4_096,
        anthropicApiUrl: request.url,
        clientOptions: withFetch(request),
        ...(request.thinks && { thinking: thinkingOf(request.model) }),
      }).bindTools(
        request.tools.map(({ name, description, parameters }) => ({
          name,
          description,
          input_schema: parameters,
        })),
      ),
    ),
};

/** The `@langchain/google-genai` package, which invents an id for every call. */
export const langchainGoogle: TestClient = {
  name: '@langchain/google-genai',
  format: 'gemini',
  converse: async (request) => {
    const model = new ChatGoogleGenerativeAI({
      model: request.model,
      apiKey: 'key',
      maxRetries: 0,
      baseUrl: request.url,
      ...(request.thinks && { thinkingConfig: { includeThoughts: true } }),
    });
    const transcript = await converseWithLangchain(
      request,
      model.bindTools(
        request.tools.map(({ name, description, parameters }) => ({
          name,
          description,
          schema: inGeminisWords(parameters),
        })),
      ),
    );
    return JSON.parse(
      JSON.stringify(transcript, (key, value) => (key === 'id' ? undefined : value)),
    ) as unknown[];
  },
};

/** The `@langchain/aws` package with Converse. The bodies of its responses have no ids. */
export const langchainAws: TestClient = {
  name: '@langchain/aws',
  format: 'converse',
  signs: BEDROCK,
  converse: async (request) => {
    const model = new ChatBedrockConverse({
      model: request.model,
      maxTokens: 4_096,
      maxRetries: 0,
      ...CLIENT_CREDENTIALS,
      client: new BedrockRuntimeClient({
        endpoint: request.url,
        ...CLIENT_CREDENTIALS,
        maxAttempts: 1,
        requestHandler: new NodeHttpHandler(),
      }),
      ...(request.thinks && { additionalModelRequestFields: { thinking: thinkingOf(request.model) } }),
    });
    const transcript = await converseWithLangchain(
      request,
      model.bindTools(request.tools.map((tool) => ({ type: 'function', function: tool }))),
    );
    return transcript.map((step) => ({ ...(step as object), id: undefined }));
  },
};

/** Removes keywords that Gemini's own schema dialect lacks: the library passes schemas on unchanged. */
function inGeminisWords(schema: object): Record<string, unknown> {
  return JSON.parse(JSON.stringify(schema, (key, value) => (UNKNOWN_WORDS.has(key) ? undefined : value)));
}

const UNKNOWN_WORDS: ReadonlySet<string> = new Set(['const', 'contentEncoding', 'contentMediaType']);

/** Aborts a model's response. */
interface Leaving {
  readonly signal: AbortSignal;
}

/** The parts of a LangChain model that the tests use. */
interface Answering {
  invoke(messages: BaseMessage[], options?: Leaving): Promise<AIMessage>;
  stream(messages: BaseMessage[], options?: Leaving): Promise<AsyncIterable<AIMessageChunk>>;
}

/** A conversation with a model of any of LangChain's packages. */
export async function converseWithLangchain(
  request: ConversationRequest,
  model: Answering,
): Promise<unknown[]> {
  const messages: BaseMessage[] = [];
  const transcript: unknown[] = [];
  for (const content of request.userMessages) {
    messages.push(new HumanMessage(content));
    for (let step = 0; step < MAX_STEPS; step++) {
      const answer: AIMessage = await askUnlessLeft(request, (signal) => {
        const options = signal && { signal };
        return request.isStream ? streamed(model, messages, options) : model.invoke(messages, options);
      });
      const calls = answer.tool_calls ?? [];
      transcript.push({
        // After hidden searches, it comes from a different round.
        id: answer.id?.replace(/^((?:resp|msg)_.*)r\d+$/, '$1'),
        text: answer.text,
        calls: calls.map(({ id, name, args }) => ({ id, name, args })),
        invalidCalls: answer.invalid_tool_calls ?? [],
        stopReason: answer.response_metadata.finish_reason ?? answer.response_metadata.stop_reason,
      });
      messages.push(answer);
      for (const { id, name, args } of calls) {
        messages.push(new ToolMessage({ tool_call_id: id!, content: runTool(name, args) }));
      }
      if (calls.length === 0) break;
    }
  }
  return transcript;
}

async function streamed(model: Answering, messages: BaseMessage[], options?: Leaving): Promise<AIMessage> {
  let whole: AIMessageChunk | undefined;
  for await (const chunk of await model.stream(messages, options))
    whole = whole ? concat(whole, chunk) : chunk;
  if (!whole) throw new Error('the stream was empty');
  return whole;
}
