import { type Message, Ollama } from 'ollama';
import { CATALOGUE } from './catalogue.ts';
import { type DemoClient, TOOL_RESULT } from './client.ts';

const TOOLS = CATALOGUE.map((tool) => ({ type: 'function', function: { ...tool } }));

/**
 * The official Ollama library, streaming. Only its host differs from the usual setup; a credential lets the
 * proxy recognize the conversation.
 */
export function ollamaClient(proxyUrl: string): DemoClient {
  const client = new Ollama({ host: proxyUrl, headers: { authorization: 'Bearer no-key-needed' } });
  const messages: Message[] = [];
  return {
    name: 'ollama',
    async say(content, events) {
      messages.push({ role: 'user', content });
      for (;;) {
        events.onRequest();
        const answer: Message = { role: 'assistant', content: '', tool_calls: [] };
        const lines = await client.chat({ model: 'llama-demo', messages, tools: TOOLS, stream: true });
        for await (const { message } of lines) {
          if (message.content !== '') events.onText(message.content);
          answer.content += message.content;
          answer.tool_calls!.push(...(message.tool_calls ?? []));
        }
        messages.push(answer);
        for (const { function: called } of answer.tool_calls!) {
          events.onCall(called.name, called.arguments);
          messages.push({ role: 'tool', tool_name: called.name, content: TOOL_RESULT });
        }
        await events.onAnswer();
        if (answer.tool_calls!.length === 0) return;
      }
    },
  };
}
