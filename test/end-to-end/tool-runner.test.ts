import Anthropic from '@anthropic-ai/sdk';
import { betaTool } from '@anthropic-ai/sdk/helpers/beta/json-schema';
import { playModel } from '@winnow/testkit';
import { expect, test } from 'vitest';
import { FEW_TOOLS } from './raw-client.ts';
import { recordsOf, startStack } from './start-stack.ts';

const [FIRST, SECOND] = [FEW_TOOLS[3]!.name, FEW_TOOLS[9]!.name];
const model = playModel({
  turns: [
    {
      steps: [
        { searchFor: [FIRST], thenCall: [{ name: FIRST, input: { of: 1 } }] },
        { searchFor: [SECOND], thenCall: [{ name: SECOND, input: { of: 2 } }] },
      ],
      answer: 'Both are done.',
    },
  ],
});

/** Runs Anthropic's tool runner; returns its last message and the calls that it has made. */
async function run(url: string, more: object) {
  const calls: string[] = [];
  const tools = FEW_TOOLS.map(({ name, description }) =>
    betaTool({
      name,
      description,
      inputSchema: { type: 'object', properties: { of: { type: 'number' } } },
      run: ({ of }) => {
        calls.push(`${name} ${of}`);
        return 'Done.';
      },
    }),
  );
  const messages = [{ role: 'user' as const, content: 'Do it.' }];
  const client = new Anthropic({ baseURL: url, apiKey: 'key', maxRetries: 0 });
  const runner = client.beta.messages.toolRunner({
    ...{ model: 'claude-opus-4-5', max_tokens: 1_000, messages, tools },
    ...more,
  });
  return { content: (await runner.runUntilDone()).content, calls };
}

test.each(['native', 'bridge', 'swap'].flatMap((load) => [false, true].map((stream) => ({ load, stream }))))(
  "Anthropic's tool runner without a thread calls tools that were held back: %j",
  async ({ load, stream }) => {
    const settings = {
      PROXY_PIPES_TOOL_DISCOVERY_STRATEGY: 'tool-search',
      PROXY_UPSTREAMS_ANTHROPIC_LOAD: load,
    };
    const stack = await startStack({ model, settings });
    const { content, calls } = await run(stack.proxyUrl, { thread: false, stream });
    expect(content).toMatchObject([{ type: 'text', text: 'Both are done.' }]);
    expect(calls).toEqual([`${FIRST} 1`, `${SECOND} 2`]);
    expect(stack.upstream.rejected()).toEqual([]);
    await recordsOf(stack, 3);
    expect(stack.records.map(({ planReason }) => planReason)).toEqual(['deferred', 'deferred', 'deferred']);
  },
);

test("Anthropic's tool runner as it is keeps its history at the provider, and is left alone", async () => {
  const stack = await startStack({ model });
  // The scripted provider keeps no threads.
  await expect(run(stack.proxyUrl, {})).rejects.toThrow('tool_result');
  await recordsOf(stack, 2);
  expect(stack.records[0]).toMatchObject({ planReason: 'continued_thread', upstreamCalls: 1 });
});
