import { expect, test } from 'vitest';
import { readConfig } from '../src/config/config.ts';
import { mergeConfig } from '../src/config/merge-config.ts';

function configOf(environment: Readonly<Record<string, string>>) {
  const outcome = readConfig({ file: '', environment });
  if (!outcome.ok) throw new Error(outcome.problems.join(' '));
  return outcome.config;
}

test('tokens, rollout, upstreams and what shapes heads change at once; what shapes memory waits for a restart', () => {
  const merged = mergeConfig(
    configOf({ PROXY_SERVER_TOKENS: 'old', PROXY_TOOLS_ALWAYS_KEEP: 'a' }),
    configOf({
      PROXY_SERVER_TOKENS: 'new',
      PROXY_ROLLOUT_MODE: 'off',
      PROXY_TOOLS_ALWAYS_KEEP: 'b',
      PROXY_SERVER_MAX_BODY: '1MiB',
      PROXY_UPSTREAMS_OPENAI_API_KEY: 'sk-new',
      PROXY_UPSTREAMS_OPENAI_LOAD: 'swap',
      PROXY_UPSTREAMS_OPENAI_POLYFILL: 'on',
      PROXY_UPSTREAMS_MINE_BASE_URL: 'https://mine.example',
      PROXY_UPSTREAMS_MINE_FORMAT: 'openai',
    }),
  );
  if (!merged.ok) throw new Error(merged.problems.join(' '));
  expect(merged.changed.toSorted()).toEqual([
    'rollout.mode',
    'server.tokens',
    'tools.always_keep',
    'upstreams.mine',
    'upstreams.openai.api_key',
    'upstreams.openai.load',
  ]);
  expect(merged.needsRestart.toSorted()).toEqual(['server.max_body', 'upstreams.openai.polyfill']);
  const { settings, upstreams } = merged.config;
  expect(settings).toMatchObject({
    'server.tokens': ['new'],
    'rollout.mode': 'off',
    'tools.always_keep': ['b'],
    'server.max_body': 50 * 2 ** 20,
  });
  expect(upstreams.openai).toMatchObject({ api_key: 'sk-new', load: 'swap', polyfill: 'off' });
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

test('profiles are taken over with their order', () => {
  const [a, b] = ['PROXY_PROFILES_A_ALWAYS_KEEP', 'PROXY_PROFILES_B_ALWAYS_KEEP'] as const;
  const running = configOf({ [a]: '1', [b]: '1' });
  const merged = mergeConfig(running, configOf({ [b]: '2', PROXY_PROFILES_C_ALWAYS_KEEP: '3', [a]: '1' }));
  if (!merged.ok) throw new Error(merged.problems.join(' '));
  expect(merged.changed).toEqual(['profiles.b.always_keep', 'profiles.c']);
  expect(Object.keys(merged.config.profiles)).toEqual(['b', 'c', 'a']);
  const reordered = mergeConfig(running, configOf({ [b]: '1', [a]: '1' }));
  expect(reordered).toMatchObject({ changed: ['profiles'], needsRestart: [] });
  expect(mergeConfig(running, configOf({ [b]: '1' }))).toMatchObject({ changed: ['profiles.a'] });
});

test('each profile that an emptied file no longer has is named', () => {
  const running = configOf({ PROXY_PROFILES_A_ALWAYS_KEEP: '1', PROXY_PROFILES_B_ALWAYS_KEEP: '1' });
  const merged = mergeConfig(running, configOf({}));
  expect(merged).toMatchObject({ ok: true, changed: ['profiles.a', 'profiles.b'], config: { profiles: {} } });
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
