import OpenAI from 'openai';
import type { ChatCompletion, ChatCompletionMessageParam } from 'openai/resources/chat/completions';
import OpenAI6 from 'openai-6';
import { MANTLE_OPENAI } from './aws-credentials.ts';
import { signedProvider } from './openai-responses.ts';
import { type ConversationRequest, MAX_STEPS, runTool, type TestClient } from './test-client.ts';

/** The `openai` package. */
export const openai: TestClient = {
  name: 'openai',
  format: 'openai',
  converse: (request) => converse(request, OpenAI),
};

/** Its major version before, which many have still: it refuses gaps in the numbers of a stream. */
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

function converse(request: ConversationRequest, Client: typeof OpenAI): Promise<unknown[]> {
  return converseWith(new Client({ baseURL: `${request.url}/v1`, apiKey: 'key', maxRetries: 0 }), request);
}

async function converseWith(
  client: OpenAI,
  { model, tools, userMessages, isStream }: ConversationRequest,
): Promise<unknown[]> {
  const messages: ChatCompletionMessageParam[] = [];
  const transcript: unknown[] = [];
  const ask = async (): Promise<ChatCompletion> => {
    const body = {
      model,
      messages,
      tools: tools.map((tool) => ({ type: 'function' as const, function: { ...tool } })),
    };
    if (!isStream) return client.chat.completions.create(body);
    return client.chat.completions
      .stream({ ...body, stream_options: { include_usage: true } })
      .finalChatCompletion();
  };
  for (const content of userMessages) {
    messages.push({ role: 'user', content });
    for (let step = 0; step < MAX_STEPS; step++) {
      const { usage: _, ...answer } = await ask();
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
