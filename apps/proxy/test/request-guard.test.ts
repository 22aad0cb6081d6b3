import { entriesOf } from '@winnow/service';
import { describe, expect, test } from 'vitest';
import { DECLARATION, readConfig } from '../src/config/config.ts';
import { requestGuard } from '../src/edge/request-guard.ts';
import { createUpstreams } from '../src/upstream/create-upstreams.ts';

const PLAIN = {};
const OFFER = { 'x-winnow-registry-tools': 'on' };
const OFFER_WITH_TOKEN = { ...OFFER, 'x-winnow-registry-token': 'of-the-client' };
const REGISTRY = { PROXY_REGISTRY_OFFER: 'true', PROXY_REGISTRY_URL: 'https://registry.example' };
const SIGNING = { KIND: 'sigv4', REGION: 'eu-central-1', ACCESS_KEY_ID: 'AK' };
const SIGNED = Object.fromEntries(
  Object.entries(SIGNING).map(([name, value]) => [`PROXY_UPSTREAMS_OPENAI_AUTH_${name}`, value]),
);

/** Every secret, with the settings that it needs, and the requests to OpenAI that are guarded because of it. */
const SECRETS: Record<string, readonly [needs: Record<string, string>, guarded: readonly object[]]> = {
  'server.tokens': [{}, []],
  'sessions.secret': [{}, []],
  'page.token': [{}, []],
  'redis.url': [{}, []],
  'tools.api.api_key': [{}, []],
  'providers.NAME.api_key': [{}, []],
  'embedder.api_key': [
    { PROXY_EMBEDDER_ADDRESS: 'http://127.0.0.1:9/v1#m' },
    [PLAIN, OFFER, OFFER_WITH_TOKEN],
  ],
  'registry.token': [REGISTRY, [OFFER]],
  'upstreams.NAME.api_key': [{}, [PLAIN, OFFER, OFFER_WITH_TOKEN]],
  'upstreams.NAME.auth.secret_access_key': [SIGNED, [PLAIN, OFFER, OFFER_WITH_TOKEN]],
  'upstreams.NAME.auth.session_token': [
    { ...SIGNED, PROXY_UPSTREAMS_OPENAI_AUTH_SECRET_ACCESS_KEY: 'secret' },
    [PLAIN, OFFER, OFFER_WITH_TOKEN],
  ],
};

function guardsOf(environment: Record<string, string>) {
  const outcome = readConfig({ environment });
  if (!outcome.ok) throw new Error(outcome.problems.join(' '));
  const guardOf = requestGuard(outcome.config.settings);
  const upstreams = createUpstreams(outcome.config.upstreams);
  return (headers: object, upstream = 'openai') => guardOf(upstreams.get(upstream)!, { ...headers });
}

describe('the guard of a request follows from the secrets that it spends', () => {
  const secrets = entriesOf(DECLARATION).filter(({ setting }) => setting.spentBy !== undefined);

  test('every secret setting is in this list', () => {
    expect(secrets.map(({ key }) => key).toSorted()).toEqual(Object.keys(SECRETS).toSorted());
  });

  test.each(secrets.map(({ key, variable }) => [key, variable] as const))('%s', (key, named) => {
    const [needs, guarded] = SECRETS[key]!;
    const member = key.startsWith('providers.') ? 'SELECTOR' : 'OPENAI';
    const variable = named.replace('NAME', member);
    const value = key === 'redis.url' ? 'redis://:password@redis:6379' : 'a-secret';
    const guardOf = guardsOf({ ...needs, [variable]: value });
    for (const headers of [PLAIN, OFFER, OFFER_WITH_TOKEN]) {
      expect({ headers, guard: guardOf(headers) }).toEqual({
        headers,
        guard: guarded.includes(headers) ? 'key' : 'none',
      });
    }
    const isForAll = key === 'embedder.api_key';
    expect(guardOf(PLAIN, 'anthropic')).toBe(isForAll ? 'key' : 'none');
  });
});

test('a registry on this machine is guarded, whatever token the client sends', () => {
  const guardOf = guardsOf({ ...REGISTRY, PROXY_REGISTRY_URL: 'http://127.0.0.1:8789' });
  expect([PLAIN, OFFER, OFFER_WITH_TOKEN].map((headers) => guardOf(headers))).toEqual(['none', 'key', 'key']);
});

test('nothing is guarded for the sake of a registry whose tools are not offered', () => {
  const guardOf = guardsOf({ PROXY_REGISTRY_URL: 'http://127.0.0.1:8789', PROXY_REGISTRY_TOKEN: 'a-token' });
  expect(guardOf(OFFER)).toBe('none');
});

test('a server on this machine that trusts every client is guarded as a neighbour', () => {
  expect(guardsOf({})(PLAIN, 'ollama')).toBe('neighbour');
});
