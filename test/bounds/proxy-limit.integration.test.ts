import { gzipSync } from 'node:zlib';
import { DEFER_ANYTHING } from '@winnow/testkit';
import { describe, test } from 'vitest';
import { type PostOptions, post } from './post.ts';
import { type RawAnswer, SHORT_ANSWER, startRawUpstream } from './raw-upstream.ts';
import { sampleOf } from './sample-of.ts';
import { expectSurvival, repeated, startInShippedLimit, TIMEOUT_MS } from './shipped-limits.ts';

const MIB = 2 ** 20;
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
  ['lines of a value each', { 'content-type': 'application/x-ndjson' }, () => repeated('1\n', MIB / 8)],
  ['comments', SSE, () => repeated(': alive\n\n', 8 * MIB)],
  ['events without data', SSE, () => repeated('data:\n\n', MIB / 4)],
  ['one event of many lines', SSE, () => repeated('data:\n', 16 * MIB)],
  ['one long event', SSE, () => chunk({ content: repeated('a ', 32 * MIB) })],
  ['empty deltas', SSE, () => repeated(chunk({ content: '' }), 2 * MIB)],
  [
    'searches',
    SSE,
    () => Array.from({ length: 16_000 }, (_, at) => chunk({ tool_calls: [call(at)] })).join(''),
  ],
  ['values', {}, () => `{"x":[${repeated('{},', 24 * MIB)}1]}`],
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
