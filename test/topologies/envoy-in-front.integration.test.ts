/**
 * @module-tag envoy
 */
import { answer, say } from '@winnow/testkit';
import { expect, test } from 'vitest';
import { ENVOY_IN_FRONT } from './envoy.ts';
import { topologySuite } from './topology-suite.ts';

const { topology, ask } = topologySuite({
  options: ENVOY_IN_FRONT,
  clientKey: 'sk-alice',
  providerKeys: { openai: 'sk-alice', anthropic: 'sk-alice' },
  requests: { ifAllFail: 1, ifLaterFail: 4 },
  statuses: {
    openai: { 429: 429, 503: 503, 529: 529 },
    anthropic: { 429: 429, 503: 503, 529: 529 },
  },
  passesRetryAfter: true,
  cancelsWhole: true,
  refusals: { longHead: 431, largeBody: { openai: 413, anthropic: 413 }, gzip: 200 },
});

test('the provider and the client see no header of Envoy, and no page of Winnow', async () => {
  topology().script.push(answer([say('Done.')], { headers: { server: 'provider' } }));
  const response = await ask({ format: 'openai' });
  await response.text();
  const added = /envoy|forwarded|x-request-id/;
  expect([...response.headers.keys()].filter((name) => /envoy|forwarded/.test(name))).toEqual([]);
  expect(response.headers.get('server')).toBe('provider');
  expect(Object.keys(topology().received()[0]!.headers).filter((name) => added.test(name))).toEqual([]);
  const page = await fetch(`${topology().url}/_winnow/readyz`);
  expect([page.status, await page.text()]).toEqual([404, '']);
});
