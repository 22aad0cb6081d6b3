import OpenAI, { AzureOpenAI } from 'openai';
import type { ChatCompletion, ChatCompletionMessageParam } from 'openai/resources/chat/completions';
import OpenAI6 from 'openai-6';
import { MANTLE_OPENAI } from './aws-credentials.ts';
import { signedProvider } from './openai-responses.ts';
import {
  askUnlessLeft,
  type ConversationRequest,
  MAX_STEPS,
  runTool,
  type TestClient,
  withFetch,
} from './test-client.ts';

/** The `openai` package. */
export const openai: TestClient = {
  name: 'openai',
  format: 'openai',
  converse: (request) => converse(request, OpenAI),
};

/** Its previous major version, still widely used: it refuses gaps in the indexes of a stream. */
export const openai6: TestClient = {
  name: 'openai 6',
  format: 'openai',
  converse: (request) => converse(request, OpenAI6 as unknown as typeof OpenAI),
};

/** The same with the package's provider for Bedrock, which signs. */
export const openaiBedrockChat: TestClient = {
  name: 'openai, bedrock',
  format: 'openai',
  signs: MANTLE_OPENAI,
  converse: (request) =>
    converseWith(new OpenAI({ provider: signedProvider(request.url), maxRetries: 0 }), request),
};

/** The package's client for Azure, which has the deployment in the path. */
export const openaiAzureChat: TestClient = {
  name: 'openai, azure',
  format: 'openai',
  converse: (request) => converseWith(azureClient(request), request),
};

/** The client for Azure at the path of the built-in upstream `openai`. */
export function azureClient(request: ConversationRequest): AzureOpenAI {
  return new AzureOpenAI({
    ...withFetch(request),
    endpoint: `${request.url}/openai`,
    apiKey: 'key',
    apiVersion: '2026-01-01',
    maxRetries: 0,
  });
}

function converse(request: ConversationRequest, Client: typeof OpenAI): Promise<unknown[]> {
  const options = { baseURL: `${request.url}/v1`, apiKey: 'key', maxRetries: 0, ...withFetch(request) };
  return converseWith(new Client(options), request);
}

async function converseWith(client: OpenAI, request: ConversationRequest): Promise<unknown[]> {
  const { model, tools, userMessages, isStream } = request;
  const messages: ChatCompletionMessageParam[] = [];
  const transcript: unknown[] = [];
  const ask = async (signal: AbortSignal | undefined): Promise<ChatCompletion> => {
    const body = {
      model,
      messages,
      tools: tools.map((tool) => ({ type: 'function' as const, function: { ...tool } })),
    };
    if (!isStream) return client.chat.completions.create(body, { signal });
    return client.chat.completions
      .stream({ ...body, stream_options: { include_usage: true } }, { signal })
      .finalChatCompletion();
  };
  for (const content of userMessages) {
    messages.push({ role: 'user', content });
    for (let step = 0; step < MAX_STEPS; step++) {
      const { usage: _, ...answer } = await askUnlessLeft(request, ask);
      transcript.push(answer);
      const { message } = answer.choices[0]!;
      messages.push(message);
      const calls = message.tool_calls ?? [];
      for (const call of calls) {
        if (call.type !== 'function') continue;
        const result = runTool(call.function.name, JSON.parse(call.function.arguments));
        messages.push({ role: 'tool', tool_call_id: call.id, content: result });
      }
      if (calls.length === 0) break;
    }
  }
  return transcript;
}
