import { createOpenRouter } from '@openrouter/ai-sdk-provider';
import { CHAT_DIALECTS, type ChatDialect, playModel, startUpstream } from '@winnow/testkit';
import { jsonSchema, type ModelMessage, stepCountIs, streamText, tool } from 'ai';
import { expect, onTestFinished, test } from 'vitest';
import { FEW_TOOLS, loadBy } from '../end-to-end/raw-client.ts';
import { startStack } from '../end-to-end/start-stack.ts';

const WANTED = FEW_TOOLS[9]!.name;
const STEP = { searchFor: [WANTED], thenCall: [{ name: WANTED, input: {} }] };
const TOOLS = Object.fromEntries(
  FEW_TOOLS.map(({ name, description, parameters }) => [
    name,
    tool({ description, inputSchema: jsonSchema(parameters), execute: async () => 'done' }),
  ]),
);

/** Asks two questions, and returns what the client holds at the end: calls, texts, and what it keeps of thoughts. */
async function converse(url: string): Promise<unknown> {
  const model = createOpenRouter({ baseURL: `${url}/v1`, apiKey: 'key' }).chat('m');
  const messages: ModelMessage[] = [];
  for (const content of ['Do it.', 'And again.']) {
    messages.push({ role: 'user', content });
    const result = streamText({ model, messages, tools: TOOLS, stopWhen: stepCountIs(4), maxRetries: 0 });
    messages.push(...(await result.responseMessages));
  }
  return messages.flatMap(({ role, content }) =>
    role === 'assistant' && Array.isArray(content)
      ? content.flatMap((part) =>
          part.type === 'tool-call' ? [part.toolName] : part.type === 'text' ? ['text'] : [],
        )
      : [],
  );
}

/** Dialects of OpenRouter; the provider joins lists by their neighbourhood. */
const DIALECTS = (Object.keys(CHAT_DIALECTS) as ChatDialect[]).filter((name) =>
  name.startsWith('OpenRouter'),
);

test.each(DIALECTS)(
  'the provider of OpenRouter is served by Winnow as by the server: %s',
  async (dialect) => {
    const plan = { chatDialect: dialect, thinks: true, turns: [{ steps: [STEP] }, { steps: [STEP] }] };
    const rules = { chatDialect: dialect };
    const direct = await startUpstream({ model: playModel(plan), rules });
    onTestFinished(() => direct.close());
    const settings = { PROXY_PIPES_TOOL_DISCOVERY_STRATEGY: 'tool-search', ...loadBy('bridge') };
    const stack = await startStack({ model: playModel(plan), rules, settings });

    expect(await converse(direct.url)).toEqual([WANTED, 'text', WANTED, 'text']);
    expect(await converse(stack.proxyUrl)).toEqual([WANTED, 'text', WANTED, 'text']);
    expect(stack.upstream.rejected().map(({ rejection }) => rejection)).toEqual([]);
  },
);
