import Anthropic from '@anthropic-ai/sdk';
import { answer, callTool, type Model, say } from '@winnow/testkit';
import OpenAI from 'openai';
import type { Response, ResponseInput, ResponseInputItem } from 'openai/resources/responses/responses';
import { describe, expect, test } from 'vitest';
import type { CatalogueTool } from './catalogue.ts';
import { FEW_TOOLS, RESPONSES_TOOLS } from './raw-client.ts';
import { recordsOf, startStack } from './start-stack.ts';

const ON = { PROXY_UPSTREAMS_OPENAI_POLYFILL: 'on' };
const [OWN, WANTED, LONE] = RESPONSES_TOOLS;
const SERVER = { type: 'namespace' as const, name: 'mcp__shop', description: 'The shop.', tools: [WANTED!] };
const SEARCH = {
  type: 'tool_search' as const,
  execution: 'client' as const,
  description: 'Finds tools of the servers.',
  parameters: {
    type: 'object',
    properties: { query: { type: 'string' } },
    required: ['query'],
    additionalProperties: false,
  },
};

/** The results of the client's searches, in order. */
const FOUND = [[SERVER], [LONE!, SERVER]];
const USAGE = { inputTokens: 10, outputTokens: 5 };

/**
 * A model that searches, calls the tool found, searches again, calls that one as well, and ends; with its
 * provider's names for these things. It calls only visible tools.
 */
const MODEL: Model = ({ callable, turns }) => {
  const isNative = callable.has('gateway_search_tools');
  const search = isNative ? 'gateway_search_tools' : 'tool_search';
  const wanted = isNative ? `mcp__shop.${WANTED!.name}` : `mcp__shop__${WANTED!.name}`;
  const done = turns.filter(({ role }) => role === 'results').length;
  const id = `resp_${done}`;
  const call = (name: string, input: object) =>
    answer(
      [
        say('I go on. '),
        callTool(callable.has(name) ? name : 'not_shown', { ...input }, { id: `call_${done}` }),
      ],
      {
        id,
        usage: USAGE,
        createdSeconds: 1_790_000_000,
      },
    );
  if (done === 0 || done === 2) return call(search, { query: `step ${done}` });
  if (done === 1) return call(wanted, { text: 'Grüezi 👋' });
  if (done === 3) return call(LONE!.name, {});
  return answer([say('All is done.')], { id, usage: USAGE, createdSeconds: 1_790_000_000 });
};

/** A whole conversation of a client that defers by itself: every response that it received. */
async function converse(url: string, isStream: boolean): Promise<Response[]> {
  const { responses } = new OpenAI({ baseURL: `${url}/v1`, apiKey: 'key', maxRetries: 0 });
  const input: ResponseInput = [{ role: 'user', content: 'Do it.' }];
  const all: Response[] = [];
  const found = [...FOUND];
  for (;;) {
    const body = { model: 'gpt-5.5', input: [...input], tools: [OWN!, SEARCH], store: false };
    const response = isStream ? await responses.stream(body).finalResponse() : await responses.create(body);
    all.push(response);
    input.push(...(response.output as ResponseInput));
    const results = response.output.flatMap((item): ResponseInputItem[] => {
      if (item.type === 'tool_search_call') {
        const tools = found.shift()!;
        return [
          {
            type: 'tool_search_output',
            call_id: item.call_id,
            execution: 'client',
            status: 'completed',
            tools,
          },
        ];
      }
      if (item.type !== 'function_call') return [];
      return [{ type: 'function_call_output', call_id: item.call_id, output: 'done' }];
    });
    if (results.length === 0) return all;
    input.push(...results);
  }
}

/**
 * The same without members that the SDK adds, and without the namespace that a provider gives to lone
 * functions of its own searches.
 */
function normal(all: readonly Response[]): unknown {
  return JSON.parse(JSON.stringify(all), (key, value) =>
    key === 'namespace' && value === LONE!.name ? undefined : value,
  );
}

describe.each([false, true])(
  'a client that defers, in front of a plain server (streamed: %s)',
  (isStream) => {
    test('has the conversation that it would have with a server that can defer', async () => {
      const capable = await startStack({ model: MODEL });
      const plain = await startStack({ model: MODEL, rules: { isPlain: true }, settings: ON });
      const expected = await converse(capable.upstream.url, isStream);
      const got = await converse(plain.proxyUrl, isStream);
      expect(expected).toHaveLength(5);
      expect(expected[1]!.output.at(-1)).toMatchObject({ name: WANTED!.name, namespace: 'mcp__shop' });
      expect(normal(got)).toEqual(normal(expected));
      expect(capable.upstream.rejected()).toEqual([]);
      expect(plain.upstream.rejected()).toEqual([]);
    });

    test('gets the server prompts that begin alike, and a record of each exchange', async () => {
      const stack = await startStack({ model: MODEL, rules: { isPlain: true }, settings: ON });
      await converse(stack.proxyUrl, isStream);
      const declared = stack.upstream.requests.map(
        ({ json }) => (json as { tools: { name: string }[] }).tools,
      );
      expect(declared.map((tools) => tools.map(({ name }) => name))).toEqual(
        [2, 3, 3, 4, 4].map((count) =>
          [OWN!.name, 'tool_search', `mcp__shop__${WANTED!.name}`, LONE!.name].slice(0, count),
        ),
      );
      await recordsOf(stack, 5);
      for (const record of stack.records) {
        expect(record).toMatchObject({
          planReason: 'polyfilled',
          upstreamCalls: 1,
          outcome: 'answered',
          status: 200,
        });
        expect(record.usage).toMatchObject([{ inputTokens: 10, outputTokens: 5 }]);
      }
    });

    test('gets the refusal of the server where it is off', async () => {
      const stack = await startStack({ model: MODEL, rules: { isPlain: true } });
      await expect(converse(stack.proxyUrl, isStream)).rejects.toThrow("Invalid value: 'tool_search'");
      await recordsOf(stack, 1);
      expect(stack.records[0]).toMatchObject({ planReason: 'client_defers', status: 400 });
    });

    test('gets errors of the server as they are', async () => {
      const error = { kind: 'error', status: 429, message: 'Slow down.' } as const;
      const stack = await startStack({ model: () => error, rules: { isPlain: true }, settings: ON });
      await expect(converse(stack.proxyUrl, isStream)).rejects.toMatchObject({ status: 429 });
      await recordsOf(stack, 1);
      expect(stack.records[0]).toMatchObject({ planReason: 'polyfilled', status: 429 });
    });
  },
);

test('a client that does not defer is served as ever where the server is polyfilled', async () => {
  const stack = await startStack({
    model: () => answer([say('Hello.')]),
    rules: { isPlain: true },
    settings: ON,
  });
  const { responses } = new OpenAI({ baseURL: `${stack.proxyUrl}/v1`, apiKey: 'key', maxRetries: 0 });
  await responses.create({ model: 'gpt-5.4', input: 'Hello.', tools: RESPONSES_TOOLS, store: false });
  await recordsOf(stack, 1);
  // By a bridge, because a polyfilled server has no native loading.
  expect(stack.records[0]).toMatchObject({ planReason: 'deferred', loadMode: 'bridge' });
});

/**
 * The relevant parts of Claude Code: a search of its own, and definitions that arrive with the request that
 * refers to them.
 */
async function converseByMessages(url: string, isStream: boolean): Promise<Anthropic.Beta.BetaMessage[]> {
  const { beta } = new Anthropic({ baseURL: url, apiKey: 'key', maxRetries: 0 });
  const toTool = ({ name, description, parameters }: CatalogueTool, isDeferred: boolean) => ({
    name,
    description,
    input_schema: parameters as Anthropic.Tool.InputSchema,
    ...(isDeferred && { defer_loading: true }),
  });
  const [own, ...others] = FEW_TOOLS;
  const search = {
    name: 'ToolSearch',
    description: 'Finds tools and loads them.',
    input_schema: { type: 'object' as const },
  };
  const tools = [toTool(own!, false), search, ...others.map((tool) => toTool(tool, true))];
  const messages: Anthropic.Beta.BetaMessageParam[] = [{ role: 'user', content: 'Do it.' }];
  const all: Anthropic.Beta.BetaMessage[] = [];
  for (;;) {
    const body = {
      model: 'claude-opus-4-5',
      max_tokens: 100,
      betas: ['x-unknown-2026-01-01', 'advanced-tool-use-2025-11-20'],
      messages: [...messages],
      tools,
    };
    const message = isStream
      ? await beta.messages.stream(body).finalMessage()
      : await beta.messages.create(body);
    all.push(message);
    const results = message.content.flatMap((block) => {
      if (block.type !== 'tool_use') return [];
      const content =
        block.name === 'ToolSearch'
          ? [{ type: 'tool_reference' as const, tool_name: others[0]!.name }]
          : [{ type: 'text' as const, text: 'done' }];
      return [{ type: 'tool_result' as const, tool_use_id: block.id, content }];
    });
    if (results.length === 0) return all;
    messages.push({ role: 'assistant', content: message.content }, { role: 'user', content: results });
  }
}

/** Searches, calls the tools found, and ends. */
const MESSAGES_MODEL: Model = ({ callable, turns }) => {
  const done = turns.filter(({ role }) => role === 'results').length;
  const name = ['ToolSearch', FEW_TOOLS[1]!.name][done];
  const more = { id: `msg_${done}`, usage: USAGE };
  if (name === undefined) return answer([say('All is done.')], more);
  return answer([callTool(callable.has(name) ? name : 'not_shown', {}, { id: `toolu_${done}` })], more);
};

describe.each([false, true])('a client of Messages that searches itself (streamed: %s)', (isStream) => {
  const on = { PROXY_UPSTREAMS_ANTHROPIC_POLYFILL: 'on' };

  test('has the conversation that it would have with a server that can defer', async () => {
    const capable = await startStack({ model: MESSAGES_MODEL });
    const plain = await startStack({ model: MESSAGES_MODEL, rules: { isPlain: true }, settings: on });
    const expected = await converseByMessages(capable.upstream.url, isStream);
    const got = await converseByMessages(plain.proxyUrl, isStream);
    expect(expected).toHaveLength(3);
    expect(expected[1]!.content[0]).toMatchObject({ type: 'tool_use', name: FEW_TOOLS[1]!.name });
    expect(JSON.parse(JSON.stringify(got))).toEqual(JSON.parse(JSON.stringify(expected)));
    expect(plain.upstream.rejected()).toEqual([]);
    const shown = plain.upstream.requests.map(({ json }) =>
      (json as { tools: { name: string }[] }).tools.map(({ name }) => name),
    );
    const loaded = [FEW_TOOLS[0]!.name, 'ToolSearch', FEW_TOOLS[1]!.name];
    expect(shown).toEqual([loaded.slice(0, 2), loaded, loaded]);
    expect(plain.upstream.requests[0]!.headers['anthropic-beta']).toBe('x-unknown-2026-01-01');
    await recordsOf(plain, 3);
    expect(plain.records.map(({ planReason }) => planReason)).toEqual(Array(3).fill('polyfilled'));
  });

  test('gets the refusal of the server where it is off', async () => {
    const stack = await startStack({ model: MESSAGES_MODEL, rules: { isPlain: true } });
    await expect(converseByMessages(stack.proxyUrl, isStream)).rejects.toThrow('defer_loading');
  });
});
