import Anthropic from '@anthropic-ai/sdk';
import type { MessageParam, Tool, ToolResultBlockParam } from '@anthropic-ai/sdk/resources/messages';
import { CATALOGUE } from './catalogue.ts';
import { type DemoClient, TOOL_RESULT } from './client.ts';

const TOOLS = CATALOGUE.map(
  ({ name, description, parameters }): Tool => ({
    name,
    description,
    input_schema: parameters as Tool.InputSchema,
  }),
);

/** The official Anthropic library, streaming. Only its base URL differs from the usual setup. */
export function anthropicClient(proxyUrl: string): DemoClient {
  const client = new Anthropic({
    baseURL: proxyUrl,
    apiKey: 'no-key-needed',
  });
  const messages: MessageParam[] = [];
  return {
    name: '@anthropic-ai/sdk',
    async say(content, events) {
      messages.push({ role: 'user', content });
      for (;;) {
        events.onRequest();
        const stream = client.messages.stream({
          model: 'claude-opus-4-5',
          max_tokens: 1_024,
          messages,
          tools: TOOLS,
        });
        stream.on('text', (text) => events.onText(text));
        const answer = await stream.finalMessage();
        messages.push({ role: 'assistant', content: answer.content });
        const results = answer.content.flatMap((block): ToolResultBlockParam[] => {
          if (block.type !== 'tool_use') return [];
          events.onCall(block.name, block.input);
          return [{ type: 'tool_result', tool_use_id: block.id, content: TOOL_RESULT }];
        });
        await events.onAnswer();
        if (results.length === 0) return;
        messages.push({ role: 'user', content: results });
      }
    },
  };
}
