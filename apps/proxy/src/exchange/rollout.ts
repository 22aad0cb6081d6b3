import { RolloutArm, type RolloutReason } from '@winnow/core';
import type { Settings } from '../config/config.ts';
import { MODE_HEADER } from '../http/own-headers.ts';
import { ProxyError } from '../http/proxy-error.ts';

/** The arm of an exchange, and the reason for it. */
export interface RolloutDecision {
  readonly arm: RolloutArm;
  readonly reason: RolloutReason;
  /** The percentage of sessions inside, if it decided. */
  readonly percent?: number;
}

/**
 * Decides the arm by the settings and the request; returns undefined if it depends on the session, which
 * `decideForSession` decides.
 *
 * @throws ProxyError with `bad_request` if the request may choose its arm and names an unknown one.
 */
export function decideRollout(
  settings: Settings,
  requested: string | undefined,
): RolloutDecision | undefined {
  const isSwitchedOff = !settings['tools.enabled'] || settings['tools.strategy'] === 'passthrough';
  if (isSwitchedOff) return { arm: 'off', reason: 'switched_off' };
  if (requested !== undefined && settings['rollout.allow_override']) {
    return { arm: readMode(requested), reason: 'overridden' };
  }
  return decideBySettings(settings);
}

/**
 * Decides the arm where any of several settings may hold; returns undefined if they differ, or if it depends on
 * the session.
 *
 * @throws as `decideRollout` does.
 */
export function decideForAny(
  contexts: readonly { readonly settings: Settings }[],
  requested: string | undefined,
): RolloutDecision | undefined {
  const [first, ...others] = contexts.map(({ settings }) => decideRollout(settings, requested));
  const isSame = others.every((one) => one?.arm === first?.arm && one?.reason === first?.reason);
  return isSame ? first : undefined;
}

function readMode(requested: string): RolloutArm {
  const mode = RolloutArm.safeParse(requested);
  if (mode.success) return mode.data;
  throw new ProxyError('bad_request', `The header ${MODE_HEADER} must be one of ${MODES}.`);
}

const MODES = RolloutArm.options.join(', ');

function decideBySettings(settings: Settings): RolloutDecision | undefined {
  const mode = settings['rollout.mode'];
  switch (mode) {
    case 'off':
      return { arm: 'off', reason: 'rollout_off' };
    case 'dark':
      return { arm: 'dark', reason: 'rollout_dark' };
    case 'shadow':
      return { arm: 'shadow', reason: 'rollout_shadow' };
    case 'full':
      return { arm: 'full', reason: 'rollout_full' };
    case 'partial':
      return decideForAll(settings['rollout.percent']);
    default: {
      const missing: never = mode;
      return missing;
    }
  }
}

/** At 0 and 100 percent, the session does not matter. */
function decideForAll(percent: number): RolloutDecision | undefined {
  if (percent === 0) return OUTSIDE;
  return percent === 100 ? INSIDE : undefined;
}

const INSIDE: RolloutDecision = { arm: 'full', reason: 'inside_percent' };
const OUTSIDE: RolloutDecision = { arm: 'shadow', reason: 'outside_percent' };

/** Without an identity a session counts as outside: it could not keep its place. */
const WITHOUT_SESSION: RolloutDecision = { arm: 'shadow', reason: 'no_session' };

/**
 * Decides for a session in `partial` mode by its bucket, from 0 up to but not including 100. A session that
 * is inside stays inside when the percentage rises.
 */
export function decideForSession(percent: number, bucket: number | undefined): RolloutDecision {
  if (bucket === undefined) return WITHOUT_SESSION;
  return { ...(bucket < percent ? INSIDE : OUTSIDE), percent };
}
