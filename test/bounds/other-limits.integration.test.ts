import { gzipSync } from 'node:zlib';
import { describe, test } from 'vitest';
import { post } from './post.ts';
import { startRawUpstream } from './raw-upstream.ts';
import { sampleOf } from './sample-of.ts';
import { expectSurvival, repeated, startInShippedLimit, TIMEOUT_MS } from './shipped-limits.ts';

const MIB = 2 ** 20;
const GZIP = { 'content-encoding': 'gzip' };
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
      REGISTRY_SQLITE_FILE: ':memory:',
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
