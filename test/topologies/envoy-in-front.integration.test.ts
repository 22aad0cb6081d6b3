/**
 * @module-tag envoy
 */
import { answer, say } from '@winnow/testkit';
import { expect, test } from 'vitest';
import { envoy } from './envoy.ts';
import { pageFile } from './page-file.ts';
import { topologySuite } from './topology-suite.ts';

const config = pageFile('envoy', 'Envoy in front', 'envoy.yaml');

const { topology, ask } = topologySuite({
  options: {
    place: 'in front',
    ...envoy(config, (text, next) => text.replace('8787', new URL(next).port)),
    environment: () => ({}),
    winnow: () => '{}',
    // The scripted provider takes the place of both, and is spoken to as they are.
    winnowEnvironment: (next) => ({
      PROXY_UPSTREAMS_OPENAI_BASE_URL: next,
      PROXY_UPSTREAMS_OPENAI_LOAD: 'bridge',
      PROXY_UPSTREAMS_ANTHROPIC_BASE_URL: next,
      PROXY_UPSTREAMS_ANTHROPIC_LOAD: 'native',
    }),
  },
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
