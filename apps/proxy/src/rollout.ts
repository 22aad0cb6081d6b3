import type { RolloutArm, RolloutReason } from '@winnow/contract';
import type { Settings } from './config.ts';

/** What happens to a session's tools, and why. */
export interface RolloutDecision {
  readonly arm: RolloutArm;
  readonly reason: RolloutReason;
}

/** Decides for one exchange. Depends on the configuration alone, so that a session never changes its arm. */
export function decideRollout(settings: Settings): RolloutDecision {
  if (!settings['pipes.tool_discovery.enabled']) return { arm: 'off', reason: 'switched_off' };
  if (settings['rollout.mode'] === 'off') return { arm: 'off', reason: 'rollout_off' };
  return { arm: 'full', reason: 'rollout_full' };
}
