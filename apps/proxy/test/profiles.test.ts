import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readConfig } from '../src/config/config.ts';
import { coversPattern } from '../src/config/name-pattern.ts';
import { Profiles, settingsWith } from '../src/config/profiles.ts';

function fileOf(text: string): string {
  const file = join(mkdtempSync(join(tmpdir(), 'winnow-profiles-')), 'settings.yaml');
  writeFileSync(file, text);
  return file;
}

const read = (text: string, environment: Readonly<Record<string, string>> = {}) =>
  readConfig({ file: fileOf(text), environment });

function configOf(text: string) {
  const outcome = read(text);
  if (!outcome.ok) throw new Error(outcome.problems.join(' '));
  return outcome;
}

const problemsOf = (text: string, environment?: Readonly<Record<string, string>>) => {
  const outcome = read(text, environment);
  return outcome.ok
    ? []
    : outcome.problems.map((problem) => problem.replace(/\S+(settings|more)\.yaml/g, '$1'));
};

function profilesOf(text: string) {
  const entries = Object.entries(configOf(text).config.profiles);
  return new Profiles<string>(
    entries.map(([name, settings]) => ({ settings, value: name })),
    'none',
  );
}

const REQUEST = { upstream: 'openai', agent: 'claude-cli/2.1 (external)', token: undefined };

describe('profiles', () => {
  test('hold for the first request that all of their conditions match', () => {
    const profiles = profilesOf(`
profiles:
  - { name: zed, match: { agent: "zed/*", upstream: openai } }
  - { name: both, match: { agent: "claude-cli/*", upstream: [anthropic, "open*"] } }
  - { name: claude, match: { agent: "claude-cli/*" } }
  - { name: team, match: { token: "team-?" } }
`);
    const chosen = (request: object) => profiles.candidatesFor({ ...REQUEST, ...request }).choose('gpt-5');
    expect(chosen({})).toBe('both');
    expect(chosen({ upstream: 'gemini' })).toBe('claude');
    expect(chosen({ agent: undefined })).toBe('none');
    expect(chosen({ agent: undefined, token: 'team-a' })).toBe('team');
    expect(chosen({ agent: 'zed/1', token: 'team-a' })).toBe('zed');
    expect(chosen({ agent: 'Claude-CLI/2' })).toBe('none');
  });

  test('wait for the model where it matters, and stay in order', () => {
    const profiles = profilesOf(`
profiles:
  - { name: mini, match: { model: "*-mini" } }
  - { name: cli, match: { agent: "claude-cli/*" } }
  - { name: rest }
`);
    const candidates = profiles.candidatesFor(REQUEST);
    expect([candidates.isSettled, candidates.values]).toEqual([false, ['mini', 'cli']]);
    expect([candidates.choose('gpt-5-mini'), candidates.choose('gpt-5')]).toEqual(['mini', 'cli']);
    expect(candidates.choose(undefined)).toBe('cli');
    const others = profiles.candidatesFor({ ...REQUEST, agent: undefined });
    expect([others.values, others.choose('x')]).toEqual([['mini', 'rest'], 'rest']);
  });

  test('look at the beginning of what clients write', () => {
    const profiles = profilesOf('profiles: [{ name: end, match: { agent: "*end", model: "*end" } }]');
    const long = `${'x'.repeat(300)}end`;
    expect(profiles.candidatesFor({ ...REQUEST, agent: long }).choose('end')).toBe('none');
    expect(profiles.candidatesFor({ ...REQUEST, agent: 'end' }).choose(long)).toBe('none');
    expect(profiles.candidatesFor({ ...REQUEST, agent: 'end' }).choose('end')).toBe('end');
  });

  test('replace settings of all requests, and leave the rest', () => {
    const { config } = configOf(`
tools: { always_keep: [a], preload: 3 }
rollout: { mode: partial, percent: 10 }
profiles:
  - { name: p, always_keep: [], goal: context, rollout: { percent: 50 } }
`);
    const settings = settingsWith(config.settings, config.profiles.p!);
    expect(settings).toEqual({
      ...config.settings,
      'tools.always_keep': [],
      'tools.goal': 'context',
      'rollout.percent': 50,
    });
  });
});

describe('the settings of profiles', () => {
  test('name what is wrong, with its line and the nearest known key', () => {
    expect(
      problemsOf(
        'profiles:\n  - { name: p, match: { agnet: x }, goal: many }\n  - { match: { agent: x } }\n  - { name: p }\n  - { name: P }\n  - x',
      ),
    ).toEqual([
      'settings: Line 3: profiles needs a `name` in each of its entries.',
      'settings: Line 4: profiles has two entries with the same name.',
      'settings: Line 6: profiles needs a `name` in each of its entries.',
      expect.stringMatching(
        /^settings: Line 2: profiles.p.match.agnet is not a setting; .* nearest one is match.agent\.$/,
      ),
      'settings: Line 2: profiles.p.goal must be one of balanced, cost, context.',
      expect.stringMatching(/^settings: Line 5: profiles.P: a name in `profiles` must be lower-case letters/),
    ]);
  });

  test('warn of a profile that cannot match any request', () => {
    const { warnings } = configOf(`
server: { tokens: ["team-a:abc", "plain"] }
profiles:
  - { name: claude, match: { agent: ["claude-*", "codex"] } }
  - { name: newer, match: { agent: "claude-cli/3*", upstream: anthropic } }
  - { name: both, match: { agent: ["claude-*", "zed*"] } }
  - { name: elsewhere, match: { upstream: vllm } }
  - { name: team-b, match: { token: team-b } }
  - { name: team-a, match: { token: "team-*" } }
  - { name: all }
  - { name: last, match: { model: x } }
`);
    expect(warnings).toEqual([
      'profiles.newer cannot match any request: profiles.claude comes before it and matches all of its requests.',
      'profiles.elsewhere cannot match any request: no upstream has a name in match.upstream.',
      'profiles.team-b cannot match any request: no token has a name in match.token.',
      'profiles.last cannot match any request: profiles.all comes before it and matches all of its requests.',
    ]);
  });

  test.each([
    ['claude-*', 'claude-3*', true],
    ['claude-*', 'claude-', true],
    ['a?', 'a*', false],
    ['a?', 'a?', true],
    ['a*', 'a?', true],
    ['*', '?*', true],
    ['?', '*', false],
    ['a', 'a*', false],
    ['*b', 'a*', false],
    ['*a*', 'a*', true],
  ])('%s covers %s: %s', (pattern, other, covers) => {
    expect(coversPattern(pattern, other)).toBe(covers);
  });
});
