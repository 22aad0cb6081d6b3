import Anthropic from '@anthropic-ai/sdk';
import type { Message, MessageParam, Tool, ToolResultBlockParam } from '@anthropic-ai/sdk/resources/messages';
import { type ConversationRequest, MAX_STEPS, runTool, type TestClient, thinkingOf } from './test-client.ts';

/** The `@anthropic-ai/sdk` package. */
export const anthropic: TestClient = { name: '@anthropic-ai/sdk', format: 'anthropic', converse };

async function converse(request: ConversationRequest): Promise<unknown[]> {
  const client = new Anthropic({
    baseURL: request.url,
    apiKey: 'key',
    maxRetries: 0,
  });
  const messages: MessageParam[] = [];
  const transcript: unknown[] = [];
  const ask = (): Promise<Message> => {
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
    return request.isStream ? client.messages.stream(body).finalMessage() : client.messages.create(body);
  };
  for (const content of request.userMessages) {
    messages.push({ role: 'user', content });
    for (let step = 0; step < MAX_STEPS; step++) {
      const { usage: _, ...answer } = await ask();
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
