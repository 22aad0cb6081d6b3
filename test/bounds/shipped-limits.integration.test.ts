import { gzipSync } from 'node:zlib';
import { DEFER_ANYTHING } from '@winnow/testkit';
import { describe, expect, inject, test } from 'vitest';
import { times } from './load.ts';
import { type PostOptions, type PostResponse, post } from './post.ts';
import { type RawAnswer, SHORT_ANSWER, startRawUpstream } from './raw-upstream.ts';
import { sampleOf } from './sample-of.ts';
import { type LimitedService, startInShippedLimit } from './shipped-limits.ts';
import { expectWithinLimit } from './start-service.ts';

/** Requests at once: a hundred, or enough to end a service that holds what it should not. */
const REQUESTS = inject('isExhaustive') ? 100 : 6;

/** For a hundred requests of which some take seconds. */
const TIMEOUT_MS = inject('isExhaustive') ? 1_200_000 : 60_000;

const repeated = (text: string, bytes: number) => text.repeat(Math.floor(bytes / text.length));
const MIB = 2 ** 20;

/** Sends many requests at once. All must be answered, and so must an ordinary one afterwards. */
async function expectSurvival(
  service: LimitedService,
  hostile: Omit<PostOptions, 'url'>,
  ordinary: () => Promise<PostResponse>,
): Promise<void> {
  const responses = await times(REQUESTS, () => post({ url: service.url, ...hostile }));
  for (const { status } of responses) expect(status).toBeGreaterThanOrEqual(200);
  expect(await ordinary()).toMatchObject({ status: 200 });
  expectWithinLimit(service, service.limitBytes);
}

const GZIP = { 'content-encoding': 'gzip' };
const SSE = { 'content-type': 'text/event-stream' };
const chunk = (delta: object) => `data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, delta }] })}\n\n`;
const call = (at: number) => ({
  index: at,
  id: `call_${at}`,
  type: 'function',
  function: { name: 'gateway_search_tools', arguments: `{"query":"thing ${at}"}` },
});

/** Responses that cost an upstream little and would cost the proxy much, as text. */
const WORST_RESPONSES: readonly (readonly [string, Readonly<Record<string, string>>, () => string])[] = [
  ['blank lines', SSE, () => repeated('\n', 24 * MIB)],
  ['lines of a value each', { 'content-type': 'application/x-ndjson' }, () => repeated('1\n', MIB)],
  ['comments', SSE, () => repeated(': alive\n\n', 32 * MIB)],
  ['events without data', SSE, () => repeated('data:\n\n', 2 * MIB)],
  ['one event of many lines', SSE, () => repeated('data:\n', 48 * MIB)],
  ['one long event', SSE, () => chunk({ content: repeated('a ', 48 * MIB) })],
  ['empty deltas', SSE, () => repeated(chunk({ content: '' }), 8 * MIB)],
  [
    'searches',
    SSE,
    () => Array.from({ length: 16_000 }, (_, at) => chunk({ tool_calls: [call(at)] })).join(''),
  ],
  ['values', {}, () => `{"x":[${repeated('{},', 48 * MIB)}1]}`],
];

const TOOLS = Array.from({ length: 40 }, (_, at) => ({
  type: 'function',
  function: { name: `tool_${at}`, description: 'Does things.', parameters: { type: 'object' } },
}));

function chat(isStream: boolean): Omit<PostOptions, 'url'> {
  const messages = [{ role: 'user', content: 'What is there to do?' }];
  const body = Buffer.from(JSON.stringify({ model: 'm', stream: isStream, messages, tools: TOOLS }));
  return { path: '/v1/chat/completions', body, headers: { authorization: 'Bearer x' } };
}

describe('a proxy in its shipped memory survives', () => {
  test.each(sampleOf(WORST_RESPONSES))('responses of %s', { timeout: TIMEOUT_MS }, async (_, type, write) => {
    const hostile: RawAnswer = { headers: { ...type, ...GZIP }, body: gzipSync(write(), { level: 1 }) };
    let answer = hostile;
    const service = await startInShippedLimit('proxy', {
      ...DEFER_ANYTHING,
      PROXY_SERVER_PORT: '0',
      PROXY_RECORDS_FILE: 'none',
      PROXY_TOOLS_STRATEGY: 'tool-search',
      PROXY_UPSTREAMS_OPENAI_BASE_URL: await startRawUpstream(() => answer),
    });
    await expectSurvival(service, chat(type === SSE), () => {
      answer = SHORT_ANSWER;
      return post({ url: service.url, ...chat(false) });
    });
  });
});

const json = (value: object) => Buffer.from(JSON.stringify(value));

/** Bodies that are small when compressed: what the service refuses, and what it just takes. */
const WORST_BODIES: readonly (readonly [string, string])[] = [
  ['empty objects', repeated('{},', 3 * 120_000)],
  ['keys', Array.from({ length: 120_000 }, (_, at) => `{"k${at}":1},`).join('')],
  ['values beyond the limit', repeated('[],', 14 * MIB)],
  ['one long text', `"${repeated('a ', 14 * MIB)}",`],
];

describe('a selector in its shipped memory survives', () => {
  test.each(sampleOf(WORST_BODIES))('requests with %s', { timeout: TIMEOUT_MS }, async (_, values) => {
    const service = await startInShippedLimit('selector', { SELECTOR_SERVER_PORT: '0' });
    const path = '/v1/tool-discovery/search';
    const tools = [{ name: 'pay_invoice', description: 'Pays an invoice.' }];
    const bomb = `{"pattern":"pay","x":[${values}1],"tools":${JSON.stringify(tools)}}`;
    await expectSurvival(service, { path, body: gzipSync(bomb), headers: GZIP }, () =>
      post({ url: service.url, path, body: json({ pattern: 'pay', tools }) }),
    );
  });
});

describe('a registry in its shipped memory survives', () => {
  test.each(sampleOf(WORST_BODIES))('registrations with %s', { timeout: TIMEOUT_MS }, async (_, values) => {
    const service = await startInShippedLimit('registry', {
      REGISTRY_SERVER_PORT: '0',
      REGISTRY_STORE: 'memory',
    });
    const bomb = gzipSync(`{"x":[${values}1],"tools":[]}`);
    const hostile = { path: '/v1/registry/tools', method: 'PUT', body: bomb, headers: GZIP } as const;
    await expectSurvival(service, hostile, () =>
      post({ url: service.url, path: '/v1/registry/search', body: json({ query: 'pay' }) }),
    );
  });
});

/** Responses of Letta, as JSON: attach takes no encoded ones. */
const WORST_LETTA: readonly (readonly [string, () => string])[] = [
  ['empty objects', () => `[${repeated('{},', 30 * MIB)}{}]`],
  [
    'an agent of many tools',
    () => {
      const tools = Array.from({ length: 60_000 }, (_, at) => `{"id":"tool-${at}"}`);
      return `{"id":"agent-1","tools":[${tools.join(',')}]}`;
    },
  ],
  ['one long text', () => `{"id":"${repeated('a ', 40 * MIB)}"}`],
];

describe('attach in its shipped memory survives', () => {
  test.each(sampleOf(WORST_LETTA))(
    'responses of Letta with %s',
    { timeout: TIMEOUT_MS },
    async (_, write) => {
      const body = Buffer.from(write());
      const service = await startInShippedLimit('attach', {
        ATTACH_SERVER_PORT: '0',
        ATTACH_LETTA_BASE_URL: await startRawUpstream(() => ({ body })),
      });
      const order = json({ agent_id: 'agent-1', query: 'pay an invoice' });
      await expectSurvival(service, { path: '/api/v1/tools/attach', body: order }, async () => {
        const { status } = await fetch(new URL('/healthz', service.url));
        return { status, bytes: 0, text: '' };
      });
    },
  );
});
