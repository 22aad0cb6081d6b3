import {
  answer,
  type Conversation,
  callTool,
  type MessageAnswer,
  type Model,
  say,
  think,
} from '@winnow/testkit';
import { describe, expect, inject, test } from 'vitest';
import { anthropic } from './clients/anthropic.ts';
import { googleGenai } from './clients/google-genai.ts';
import { googleInteractions, googleStored } from './clients/google-interactions.ts';
import { ollama } from './clients/ollama.ts';
import { openai } from './clients/openai.ts';
import { openaiResponses, openaiStored } from './clients/openai-responses.ts';
import { optionsOf } from './clients/rows.ts';
import type { TestClient } from './clients/test-client.ts';
import { TOOLS } from './conversation-plan.ts';
import {
  allResults,
  modelThatCalls,
  OFFERED,
  sinceUser,
  startHeaderAdder,
  startOfferedWorld,
} from './offer-stack.ts';
import { defines } from './raw-client.ts';
import { recordsOf, startStack } from './start-stack.ts';
import { startTap } from './tap.ts';

const SEARCH_TOOL = 'gateway_search_tools';
const BRIDGE_TOOL = 'gateway_call_tool';

const ON = { 'x-winnow-registry-tools': 'on' };

const MODELS: Partial<Record<TestClient['format'], string>> = {
  openai: 'gpt-test',
  responses: 'gpt-5-mini',
  anthropic: 'claude-sonnet-4-20250514',
  gemini: 'gemini-3-pro-preview',
  interactions: 'gemini-3-pro-preview',
  ollama: 'llama-test',
};

interface Row {
  readonly client: TestClient;
  readonly model: string;
  readonly thinks: boolean;
  readonly loadMode: 'swap' | 'bridge' | 'native';
}

const ALL_ROWS = [
  ...[
    ...[openai, openaiResponses, openaiStored, anthropic],
    ...[googleGenai, googleInteractions, googleStored, ollama],
  ].flatMap((client) =>
    (['swap', 'bridge'] as const).map(
      (loadMode): Row => ({ client, model: MODELS[client.format]!, thinks: false, loadMode }),
    ),
  ),
  // Thinking is bound to the tools, which stay the same from round to round.
  { client: anthropic, model: 'claude-opus-5-5', thinks: true, loadMode: 'native' } as const,
  { client: anthropic, model: 'claude-opus-5-5', thinks: true, loadMode: 'bridge' } as const,
  { client: googleGenai, model: MODELS.gemini!, thinks: true, loadMode: 'bridge' } as const,
  { client: openaiResponses, model: 'gpt-5.4', thinks: true, loadMode: 'native' } as const,
  { client: googleGenai, model: MODELS.gemini!, thinks: true, loadMode: 'swap' } as const,
  { client: googleInteractions, model: MODELS.interactions!, thinks: true, loadMode: 'swap' } as const,
].flatMap((row) =>
  [false, true].map((isStream) => ({ ...row, isStream, name: `${row.client.name}, ${row.loadMode}` })),
);

/** A sample has one row of each client in bridge mode, whole and streamed in turns. */
const isInSample = ({ loadMode }: Row, place: number) =>
  inject('isExhaustive') || loadMode !== 'bridge' || place % 4 === 2 + ((place >> 2) % 2);
const rows = ALL_ROWS.filter(isInSample);

/** Numbers of tools of the client's own; in a sample, one for each row, and 40 in bridge mode. */
const OWN_TOOLS = [0, 2, 40];
const ownTools = ({ loadMode }: Row, turn: number) => {
  if (inject('isExhaustive')) return OWN_TOOLS;
  return loadMode === 'bridge' ? [40] : [OWN_TOOLS[(turn + Math.floor(turn / 6)) % 3]!];
};

/**
 * Searches, reads, describes together with a call of the client's, and in the next turn remembers what it has
 * read.
 */
const reads =
  (wraps = false): Model =>
  (conversation) => {
    const said = plainly(conversation, wraps);
    if (!conversation.mayThink) return said;
    return { ...said, parts: [think(`Step ${conversation.turns.length}.`), ...said.parts] };
  };

/** `wraps` is whether it calls every tool through the bridge tool, where there is one. */
function plainly(conversation: Conversation, wraps: boolean): MessageAnswer {
  const { calls, results } = sinceUser(conversation);
  const { callable, idPrefixes, turns } = conversation;
  const call = (name: string, input: JsonInput, id: string) => {
    const isWrapped = callable.has(BRIDGE_TOOL) && (wraps || !callable.has(name));
    return callTool(isWrapped ? BRIDGE_TOOL : name, isWrapped ? { name, arguments: input } : input, {
      id: `${idPrefixes.call}${id}`,
    });
  };
  const known = allResults(conversation).includes('the moon') ? 'I know the moon.' : 'I know nothing.';
  if (turns.filter(({ role }) => role === 'user').length > 1) return answer([say(known)]);
  if (!callable.has('call_tool')) return answer([say(`No tools. ${known}`)]);
  const made = new Set(calls.map(({ name, input }) => (name === BRIDGE_TOOL ? nameIn(input) : name)));
  const input = { name: 'read_page', arguments: { about: 'the moon' } };
  const own = TOOLS[0]!.name;
  if (!made.has('search_tools')) return answer([call('search_tools', { query: 'read page' }, 'one')]);
  if (!made.has('call_tool')) return answer([say('I read. '), call('call_tool', input, 'two')]);
  if (made.has(own)) return answer([say(`${known} ${results.length} results.`)]);
  if (callable.has(own) || defines(allResults(conversation), own)) {
    const extra = call('describe_tools', { names: ['read_page'] }, 'four');
    return answer([call(own, { text: 'go', number: 1 }, 'three'), extra]);
  }
  if (callable.has(SEARCH_TOOL)) return answer([call(SEARCH_TOOL, { query: own }, 'five')]);
  return answer([say(`${known} ${results.length} results.`)]);
}

type JsonInput = Parameters<typeof callTool>[1];

const nameIn = (input: unknown) => (input as { readonly name: string }).name;

describe.each(rows.map((row, turn) => ({ ...row, counts: ownTools(row, turn) })))(
  '$name, thinks: $thinks, streamed: $isStream',
  ({ client, isStream, model, thinks, loadMode, counts }) => {
    test.each(counts)('gets the results of the registry’s tools, with %i tools of its own', async (count) => {
      const world = await startOfferedWorld();
      const few = { PROXY_PIPES_TOOL_DISCOVERY_MIN_TOOLS: '5' };
      const stack = await startStack({
        // Streamed ones call the registry's tools through the bridge tool, too.
        model: reads(isStream),
        settings: {
          ...world.settings,
          ...few,
          ...optionsOf({ client, isStream, model, thinks, loadMode }).settings,
        },
      });
      const tap = await startTap(stack.proxyUrl);
      const url = await startHeaderAdder(tap.url, ON);
      const transcript = await client.converse({
        url,
        model,
        tools: TOOLS.slice(0, count),
        userMessages: ['Read about the moon.', 'What do you know?'],
        isStream,
        thinks,
      });
      const told = JSON.stringify(transcript);
      expect(told).toContain('I read. ');
      expect(JSON.stringify(transcript.at(-1))).toContain('I know the moon.');
      for (const name of [...OFFERED, SEARCH_TOOL, BRIDGE_TOOL]) {
        expect(told).not.toContain(name);
        expect(tap.toClient().includes(name), name).toBe(false);
      }
      expect(world.server.requests.filter(({ method }) => method === 'tools/call')).toMatchObject([
        { params: { name: 'read_page', arguments: { about: 'the moon' } } },
      ]);
      const first = count === 0 ? 1 : 2;
      await recordsOf(stack, first + 1);
      expect(stack.records[0]).toMatchObject({
        registryOffer: 'made',
        registryCalls: [
          { tool: 'search_tools', outcome: 'ok', status: 200 },
          { tool: 'call_tool', outcome: 'ok', status: 200 },
          ...(count === 0 ? [] : [{ tool: 'describe_tools', outcome: 'ok' }]),
        ],
        planReason: count === 40 ? 'deferred' : 'few_tools',
        searches: count === 40 ? [{ outcome: 'found' }] : [],
        tools: { total: count },
      });
      expect(stack.upstream.rejected()).toEqual([]);
      // The offer's headers never went upstream.
      for (const { headers } of stack.upstream.requests) {
        expect(Object.keys(headers).filter((name) => name.startsWith('x-winnow'))).toEqual([]);
      }
    });
  },
);

describe('a call that is not answered', () => {
  const ask = async (model: Model, settings: Readonly<Record<string, string>>, headers = {}) => {
    const stack = await startStack({ model, settings });
    const url = await startHeaderAdder(stack.proxyUrl, { ...ON, ...headers });
    const request = {
      url,
      model: 'gpt-test',
      tools: [],
      userMessages: ['Go.'],
      isStream: false,
      thinks: false,
    };
    const told = JSON.stringify(await openai.converse(request));
    await recordsOf(stack, 1);
    return { told, record: stack.records[0]!, stack };
  };
  const calls = (name: string) => modelThatCalls(['call_tool', { name, arguments: {} }]);

  test('writes nothing: a tool that does not say that it reads is not called', async () => {
    const world = await startOfferedWorld();
    const { told, record } = await ask(calls('write_page'), world.settings);
    expect(told).toContain('Result: not_read_only: wiki__write_page was not called');
    expect(record.registryCalls).toMatchObject([{ tool: 'call_tool', outcome: 'not_read_only' }]);
    expect(world.server.requests.map(({ method }) => method)).not.toContain('tools/call');
  });

  test('calls no tool of an untrusted server', async () => {
    const world = await startOfferedWorld(false);
    const { told } = await ask(calls('read_page'), world.settings);
    expect(told).toContain('Result: not_read_only: wiki__read_page was not called');
    expect(world.server.requests.map(({ method }) => method)).not.toContain('tools/call');
  });

  test.each([
    ['a tool that asks back', 'ask', 'input_required', /Result: input_required: /],
    ['a tool that its server refuses', 'fail', 'tool_error', /Result: /],
    ['a tool that there is not', 'nothing_like_it', 'tool_error', /Result: unknown_tool: /],
  ])('%s is an error that the model reads', async (_, name, outcome, text) => {
    const world = await startOfferedWorld();
    const { told, record } = await ask(calls(name), world.settings);
    expect(told).toMatch(text);
    expect(record).toMatchObject({ outcome: 'answered', registryCalls: [{ tool: 'call_tool', outcome }] });
  });

  test('a registry that is away costs one error, and after five of them no offer is made', async () => {
    const world = await startOfferedWorld();
    await world.close();
    const search = modelThatCalls(['search_tools', { query: 'page' }]);
    const { told, record, stack } = await ask(search, world.settings);
    expect(told).toContain('Result: unreachable: ');
    expect(record.registryCalls).toMatchObject([{ outcome: 'unreachable', cause: 'ECONNREFUSED' }]);
    const again = () =>
      fetch(`${stack.proxyUrl}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: 'Bearer key', ...ON },
        body: JSON.stringify({ model: 'gpt-test', messages: [{ role: 'user', content: 'Go.' }] }),
      }).then((response) => response.text());
    for (let count = 0; count < 5; count++) await again();
    await recordsOf(stack, 6);
    expect(stack.records.map(({ registryOffer }) => registryOffer)).toEqual([
      ...Array(5).fill('made'),
      'registry_away',
    ]);
    expect(stack.upstream.requests.at(-1)!.json).not.toHaveProperty('tools');
  });

  test('one that takes too long is given up', async () => {
    const world = await startOfferedWorld();
    world.server.script.mood = 'hangs';
    const settings = { ...world.settings, PROXY_REGISTRY_TIMEOUT: '50ms' };
    const { told, record } = await ask(calls('read_page'), settings);
    expect(told).toContain('Result: timed_out: ');
    expect(record.registryCalls).toMatchObject([{ outcome: 'timed_out' }]);
  });

  test('a token that the registry does not take is an error, and goes nowhere else', async () => {
    const world = await startOfferedWorld();
    const { createServer } = await import('node:http');
    const seen: (string | undefined)[] = [];
    const registry = createServer((incoming, outgoing) => {
      seen.push(incoming.headers.authorization);
      outgoing.writeHead(403).end();
    });
    await new Promise<void>((resolve) => registry.listen(0, '127.0.0.1', resolve));
    const { port } = registry.address() as { port: number };
    const settings = {
      ...world.settings,
      PROXY_REGISTRY_URL: `http://127.0.0.1:${port}`,
      PROXY_REGISTRY_TOKEN: 'of-the-operator',
    };
    const own = await ask(calls('read_page'), settings, { 'x-winnow-registry-token': 'of-the-request' });
    expect(own.told).toContain('Result: forbidden: ');
    const operators = await ask(calls('read_page'), settings);
    expect(operators.record.registryCalls).toMatchObject([{ outcome: 'forbidden', status: 403 }]);
    expect(seen).toEqual(['Bearer of-the-request', 'Bearer of-the-operator']);
    expect(JSON.stringify(own.stack.upstream.requests)).not.toContain('of-the-');
    registry.close();
  });

  test('a model that never stops is told so, and the client gets an answer', async () => {
    const world = await startOfferedWorld();
    const { record, stack } = await ask((conversation) => {
      const { calls: made } = sinceUser(conversation);
      const id = `${conversation.idPrefixes.call}${made.length}`;
      return answer([say('x'), callTool('search_tools', { query: 'page' }, { id })]);
    }, world.settings);
    expect(record).toMatchObject({ outcome: 'answered', upstreamCalls: 6 });
    expect(record.registryCalls!.map(({ outcome }) => outcome)).toEqual([...Array(5).fill('ok'), 'limit']);
    expect(stack.upstream.rejected()).toEqual([]);
  });
});

describe('the registry of the operator', () => {
  test("is not read for another site's page, though the upstream takes the client's own key", async () => {
    const world = await startOfferedWorld();
    const stack = await startStack({ model: () => answer([say('Fine.')]), settings: world.settings });
    const statusOf = async (headers: Record<string, string>) => {
      const response = await fetch(`${stack.proxyUrl}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: 'Bearer key', ...headers },
        body: JSON.stringify({ model: 'gpt-test', messages: [{ role: 'user', content: 'Hi' }] }),
      });
      await response.text();
      return response.status;
    };
    expect(await statusOf({ ...ON, origin: 'https://evil.example' })).toBe(403);
    expect(await statusOf({ ...ON, 'sec-fetch-site': 'cross-site' })).toBe(403);
    expect(stack.upstream.requests).toEqual([]);
    expect(await statusOf({ origin: 'https://evil.example' })).toBe(200);
    expect(await statusOf(ON)).toBe(200);
  });
});

describe('an offer that is not made leaves the request unchanged', () => {
  const tool = (name: string) => ({
    type: 'function' as const,
    function: { name, description: 'Mine.', parameters: { type: 'object', properties: {} } },
  });
  const post = async (settings: Readonly<Record<string, string>>, more: object, headers: object) => {
    const stack = await startStack({ model: () => answer([say('Fine.')]), settings });
    const body = JSON.stringify({ model: 'gpt-test', messages: [{ role: 'user', content: 'Hi' }], ...more });
    const response = await fetch(`${stack.proxyUrl}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer key', ...headers },
      body,
    });
    expect(response.status).toBe(200);
    await response.text();
    await recordsOf(stack, 1);
    expect(stack.upstream.requests.at(-1)!.text).toBe(body);
    return stack.records[0]!.registryOffer;
  };

  test.each([
    ['without the header', {}, {}, undefined],
    ['with another value of it', {}, { 'x-winnow-registry-tools': 'off' }, undefined],
    ['with a tool of such a name', { tools: [tool('call_tool')] }, ON, 'name_collision'],
    ['with calls forbidden', { tools: [tool('mine')], tool_choice: 'none' }, ON, 'tool_choice'],
    ['with several choices', { n: 2 }, ON, 'left_alone'],
  ])('%s', async (_, more, headers, expected) => {
    const world = await startOfferedWorld();
    expect(await post(world.settings, more, headers)).toBe(expected);
  });

  test('where the operator offers none', async () => {
    expect(await post({}, {}, ON)).toBe('switched_off');
  });

  test.each(['off', 'shadow', 'dark'])('in the arm %s', async (mode) => {
    const world = await startOfferedWorld();
    const settings = { ...world.settings, PROXY_ROLLOUT_MODE: mode };
    expect(await post(settings, { tools: [tool('mine')] }, ON)).toBeUndefined();
  });
});

describe('what was read', () => {
  const chat = async (url: string, messages: readonly object[], headers: object = {}) => {
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer key', ...ON, ...headers },
      body: JSON.stringify({ model: 'gpt-test', messages }),
    });
    const body = (await response.json()) as { choices: { message: { content: string } }[] };
    return body.choices[0]!.message;
  };
  const first = { role: 'user', content: 'Read about the moon.' };
  const second = { role: 'user', content: 'What do you know?' };

  test('may be lost with the session: the conversation continues', async () => {
    const world = await startOfferedWorld();
    const stack = await startStack({ model: reads(), settings: world.settings, proxies: 2 });
    const [one, another] = stack.proxyUrls as [string, string];
    const said = await chat(one, [first]);
    expect((await chat(one, [first, said, second])).content).toBe('I know the moon.');
    expect((await chat(another, [first, said, second])).content).toBe('I know nothing.');
    expect(stack.upstream.rejected()).toEqual([]);
  });

  test('is not offered with another token and the same upstream key', async () => {
    const world = await startOfferedWorld();
    const stack = await startStack({ model: reads(), settings: world.settings });
    const mine = { 'x-winnow-registry-token': 'mine' };
    const said = await chat(stack.proxyUrl, [first], mine);
    const asked = [first, said, second];
    expect((await chat(stack.proxyUrl, asked, mine)).content).toBe('I know the moon.');
    expect((await chat(stack.proxyUrl, asked, { 'x-winnow-registry-token': 'yours' })).content).toBe(
      'I know nothing.',
    );
    expect((await chat(stack.proxyUrl, asked)).content).toBe('I know nothing.');
  });
});
