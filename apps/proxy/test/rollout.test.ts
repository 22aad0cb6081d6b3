import { describe, expect, it } from 'vitest';
import { readConfig } from '../src/config/config.ts';
import { decideForAny, decideForSession, decideRollout } from '../src/exchange/sort-exchange.ts';

const settingsOf = (environment: Record<string, string>) => {
  const outcome = readConfig({ environment });
  if (!outcome.ok) throw new Error(outcome.problems.join());
  return outcome.config;
};

const decide = (environment: Record<string, string>, requested?: string) =>
  decideRollout(settingsOf(environment).settings, requested);

const ALLOWED = { PROXY_ROLLOUT_ALLOW_OVERRIDE: 'true' };

describe('decideForAny', () => {
  const FULL = { PROXY_ROLLOUT_MODE: 'full' };
  const WHOLE = { PROXY_ROLLOUT_MODE: 'partial', PROXY_ROLLOUT_PERCENT: '100' };

  it.each([
    ['is what all settings agree on', [FULL, FULL], { arm: 'full', reason: 'rollout_full' }],
    ['is open where the arms differ', [FULL, { PROXY_ROLLOUT_MODE: 'off' }], undefined],
    ['is open where the reasons differ', [FULL, WHOLE], undefined],
  ])('%s', (_, environments, decision) => {
    expect(decideForAny(environments.map(settingsOf), undefined)).toEqual(decision);
  });
});

describe('decideRollout', () => {
  it.each([
    ['off', 'off', 'rollout_off'],
    ['dark', 'dark', 'rollout_dark'],
    ['shadow', 'shadow', 'rollout_shadow'],
    ['full', 'full', 'rollout_full'],
  ])('follows the mode %s', (mode, arm, reason) => {
    expect(decide({ PROXY_ROLLOUT_MODE: mode })).toEqual({ arm, reason });
  });

  it('is full by default', () => {
    expect(decide({})).toEqual({ arm: 'full', reason: 'rollout_full' });
  });

  it.each([
    ['0', { arm: 'shadow', reason: 'outside_percent' }],
    ['100', { arm: 'full', reason: 'inside_percent' }],
    ['0.1', undefined],
    ['99.9', undefined],
  ])('depends on the session only if the percentage does: %s percent', (percent, decision) => {
    expect(decide({ PROXY_ROLLOUT_MODE: 'partial', PROXY_ROLLOUT_PERCENT: percent })).toEqual(decision);
  });

  it('is off with the strategy `passthrough`, whatever the mode and the request', () => {
    const settings = { PROXY_PIPES_TOOL_DISCOVERY_STRATEGY: 'passthrough' };
    const switchedOff = { arm: 'off', reason: 'switched_off' };
    expect(decide({ ...settings, PROXY_ROLLOUT_MODE: 'shadow', ...ALLOWED }, 'full')).toEqual(switchedOff);
  });

  it.each(['off', 'dark', 'shadow', 'full'] as const)('lets a request choose %s when it may', (mode) => {
    expect(decide({ PROXY_ROLLOUT_MODE: 'partial', PROXY_ROLLOUT_PERCENT: '50', ...ALLOWED }, mode)).toEqual({
      arm: mode,
      reason: 'overridden',
    });
  });

  it.each(['off', 'nonsense', ''])('ignores the choice "%s" of a request that may not choose', (mode) => {
    expect(decide({}, mode)).toEqual({ arm: 'full', reason: 'rollout_full' });
  });

  it.each(['partial', 'FULL', 'off, full', ''])(
    'refuses the choice "%s", and lists the allowed ones',
    (mode) => {
      expect(() => decide(ALLOWED, mode)).toThrow(
        'The header x-winnow-mode must be one of off, dark, shadow, full.',
      );
    },
  );
});

describe('decideForSession', () => {
  it('puts sessions inside whose bucket is below the percentage', () => {
    expect(decideForSession(30, 29.99)).toEqual({ arm: 'full', reason: 'inside_percent' });
    expect(decideForSession(30, 30)).toEqual({ arm: 'shadow', reason: 'outside_percent' });
  });

  it('puts sessions outside that cannot be identified', () => {
    expect(decideForSession(99.9, undefined)).toEqual({ arm: 'shadow', reason: 'no_session' });
  });
});
