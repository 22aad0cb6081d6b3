import { expect, test } from 'vitest';
import { readConfig } from '../src/config/config.ts';
import { type DescribedRequest, explainProfile } from '../src/config/explain-profile.ts';

const OUTCOME = readConfig({
  file: '',
  environment: {
    PROXY_TOOLS_PRELOAD: '4',
    PROXY_PROFILES_CODER_MATCH_AGENT: 'coder/*',
    PROXY_PROFILES_CODER_MATCH_MODEL: 'claude-*,gpt-*',
    PROXY_PROFILES_CODER_GOAL: 'context',
    PROXY_PROFILES_TEAM_MATCH_TOKEN: 'team-a',
    PROXY_PROFILES_TEAM_ROLLOUT_MODE: 'shadow',
    PROXY_PROFILES_GEMINI_MATCH_UPSTREAM: 'gemini',
    PROXY_PROFILES_GEMINI_ALWAYS_KEEP: 'a,b',
  },
});

function explain(request: Partial<DescribedRequest>): string[] {
  if (!OUTCOME.ok) throw new Error(OUTCOME.problems.join(' '));
  const nothing = { upstream: undefined, model: undefined, agent: undefined, token: undefined };
  return explainProfile(OUTCOME.config, { ...nothing, ...request }).split('\n');
}

test('names the profile, and why those before it do not match', () => {
  const lines = explain({ upstream: 'gemini', agent: 'coder/2', model: 'gemini-3', token: 'team-b' });
  expect(lines.slice(0, 5)).toEqual([
    'Profile: gemini',
    '  coder: no, match.model is claude-*, gpt-*, and the request has gemini-3',
    '  team: no, match.token is team-a, and the request has team-b',
    '  gemini: yes, by match.upstream',
    '',
  ]);
  expect(lines).toContain('  tools.always_keep: ["a","b"]   (of the profile)');
  expect(lines).toContain('  tools.preload: 4');
});

test('says that a later profile would match, too', () => {
  const lines = explain({ agent: 'coder/2', model: 'gpt-5', token: 'team-a' });
  expect(lines.slice(0, 4)).toEqual([
    'Profile: coder',
    '  coder: yes, by match.agent, match.model',
    '  team: would match, but comes later',
    '  gemini: no, match.upstream is gemini, and the request has none',
  ]);
  expect(lines).toContain('  tools.goal: context   (of the profile)');
});

test('says that nothing matches', () => {
  const lines = explain({});
  expect(lines[0]).toBe('No profile matches: the general settings apply.');
  expect(lines).toContain('  rollout.mode: full');
});
