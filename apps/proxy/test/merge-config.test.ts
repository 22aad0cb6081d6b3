import { expect, test } from 'vitest';
import { readConfig } from '../src/config/config.ts';
import { mergeConfig } from '../src/config/merge-config.ts';

function configOf(environment: Readonly<Record<string, string>>) {
  const outcome = readConfig({ file: '', environment });
  if (!outcome.ok) throw new Error(outcome.problems.join(' '));
  return outcome.config;
}

test('tokens, rollout and upstreams change at once; what shapes heads and memory waits for a restart', () => {
  const merged = mergeConfig(
    configOf({ PROXY_SERVER_TOKENS: 'old', PROXY_TOOLS_ALWAYS_KEEP: 'a' }),
    configOf({
      PROXY_SERVER_TOKENS: 'new',
      PROXY_ROLLOUT_MODE: 'off',
      PROXY_TOOLS_ALWAYS_KEEP: 'b',
      PROXY_SERVER_MAX_BODY: '1MiB',
      PROXY_UPSTREAMS_OPENAI_API_KEY: 'sk-new',
      PROXY_UPSTREAMS_OPENAI_LOAD: 'swap',
      PROXY_UPSTREAMS_MINE_BASE_URL: 'https://mine.example',
      PROXY_UPSTREAMS_MINE_FORMAT: 'openai',
      PROXY_PROVIDERS_SELECTOR_TIMEOUT: '1s',
    }),
  );
  if (!merged.ok) throw new Error(merged.problems.join(' '));
  expect(merged.changed.toSorted()).toEqual([
    'rollout.mode',
    'server.tokens',
    'upstreams.mine',
    'upstreams.openai.api_key',
  ]);
  expect(merged.needsRestart.toSorted()).toEqual([
    'providers.selector',
    'server.max_body',
    'tools.always_keep',
    'upstreams.openai.load',
  ]);
  const { settings, upstreams } = merged.config;
  expect(settings).toMatchObject({
    'server.tokens': ['new'],
    'rollout.mode': 'off',
    'tools.always_keep': ['a'],
    'server.max_body': 50 * 2 ** 20,
  });
  expect(upstreams.openai).toMatchObject({ api_key: 'sk-new', load: 'auto' });
  expect(upstreams.mine).toMatchObject({ base_url: 'https://mine.example' });
});

test('an upstream that is gone is gone', () => {
  const mine = {
    PROXY_UPSTREAMS_MINE_BASE_URL: 'https://mine.example',
    PROXY_UPSTREAMS_MINE_FORMAT: 'openai',
  };
  const merged = mergeConfig(configOf(mine), configOf({}));
  expect(merged).toMatchObject({ ok: true, changed: ['upstreams.mine'], needsRestart: [] });
  expect(merged.ok && Object.hasOwn(merged.config.upstreams, 'mine')).toBe(false);
});

test('nothing is opened by a file for another address', () => {
  const key = { PROXY_UPSTREAMS_OPENAI_API_KEY: 'sk-x' };
  const merged = mergeConfig(
    configOf({ ...key, PROXY_SERVER_HOST: '0.0.0.0', PROXY_SERVER_TOKENS: 'token' }),
    configOf({ ...key, PROXY_SERVER_HOST: '127.0.0.1' }),
  );
  expect(merged).toEqual({ ok: false, problems: [expect.stringContaining('server.tokens')] });
});

test('the same settings change nothing', () => {
  expect(mergeConfig(configOf({}), configOf({}))).toMatchObject({ ok: true, changed: [], needsRestart: [] });
});
