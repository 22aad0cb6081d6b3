import { entriesOf } from '@winnow/service';
import { describe, expect, test } from 'vitest';
import { DECLARATION, readConfig } from '../src/config/config.ts';
import { requestGuard } from '../src/edge/client-access.ts';
import { createUpstreams } from '../src/upstream/choose-upstream.ts';

/** Every secret, with the settings that it needs, and whether it guards requests to OpenAI. */
const SECRETS: Record<string, readonly [needs: Record<string, string>, isGuarded: boolean]> = {
  'server.tokens': [{}, false],
  'sessions.secret': [{}, false],
  'page.token': [{}, false],
  'redis.url': [{ PROXY_SESSIONS_SECRET: 'secret' }, false],
  'tools.api.api_key': [{}, false],
  'embedder.api_key': [{ PROXY_EMBEDDER_ADDRESS: 'http://127.0.0.1:9/v1#m' }, true],
  'upstreams.NAME.api_key': [{}, true],
};

function guardsOf(environment: Record<string, string>) {
  const outcome = readConfig({ environment });
  if (!outcome.ok) throw new Error(outcome.problems.join(' '));
  const guardOf = requestGuard(outcome.config.settings);
  const upstreams = createUpstreams(outcome.config.upstreams);
  return (upstream = 'openai') => guardOf(upstreams.get(upstream)!);
}

describe('the guard of a request follows from the secrets that it spends', () => {
  const secrets = entriesOf(DECLARATION).filter(({ setting }) => setting.spentBy !== undefined);

  test('every secret setting is in this list', () => {
    expect(secrets.map(({ key }) => key).toSorted()).toEqual(Object.keys(SECRETS).toSorted());
  });

  test.each(secrets.map(({ key, variable }) => [key, variable] as const))('%s', (key, named) => {
    const [needs, isGuarded] = SECRETS[key]!;
    const variable = named.replace('NAME', 'OPENAI');
    const value = key === 'redis.url' ? 'redis://:password@redis:6379' : 'a-secret';
    const guardOf = guardsOf({ ...needs, [variable]: value });
    expect(guardOf()).toBe(isGuarded ? 'key' : 'none');
    const isForAll = key === 'embedder.api_key';
    expect(guardOf('anthropic')).toBe(isForAll ? 'key' : 'none');
  });
});

test('a server on this machine that trusts every client is guarded as a neighbour', () => {
  expect(guardsOf({})('ollama')).toBe('neighbour');
});
