import OpenAI from 'openai';
import type { ChatCompletionMessageParam, ChatCompletionTool } from 'openai/resources/chat/completions';
import { CATALOGUE } from './catalogue.ts';
import { type DemoClient, TOOL_RESULT } from './client.ts';

const TOOLS = CATALOGUE.map((tool): ChatCompletionTool => ({ type: 'function', function: { ...tool } }));

/** The official OpenAI library, streaming. Only its base URL differs from the usual setup. */
export function openaiClient(proxyUrl: string): DemoClient {
  const client = new OpenAI({ baseURL: `${proxyUrl}/v1`, apiKey: 'no-key-needed' });
  const messages: ChatCompletionMessageParam[] = [];
  return {
    name: 'openai',
    async say(content, events) {
      messages.push({ role: 'user', content });
      for (;;) {
        events.onRequest();
        const stream = client.chat.completions.stream({ model: 'gpt-demo', messages, tools: TOOLS });
        stream.on('content', (text) => events.onText(text));
        const { message } = (await stream.finalChatCompletion()).choices[0]!;
        messages.push(message);
        for (const call of message.tool_calls ?? []) {
          if (call.type !== 'function') continue;
          events.onCall(call.function.name, JSON.parse(call.function.arguments));
          messages.push({ role: 'tool', tool_call_id: call.id, content: TOOL_RESULT });
        }
        await events.onAnswer();
        if (!message.tool_calls?.length) return;
      }
    },
  };
}
