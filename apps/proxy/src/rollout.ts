import type { Settings } from './config.ts';

/** What happens to a session's tools, and why. */
export interface RolloutDecision {
  readonly arm: 'off' | 'full';
  readonly reason: 'switched_off' | 'rollout_off' | 'rollout_full';
}

/** Decides for one exchange. Depends on the configuration alone, so that a session never changes its arm. */
export function decideRollout(settings: Settings): RolloutDecision {
  if (!settings['pipes.tool_discovery.enabled']) return { arm: 'off', reason: 'switched_off' };
  if (settings['rollout.mode'] === 'off') return { arm: 'off', reason: 'rollout_off' };
  return { arm: 'full', reason: 'rollout_full' };
}
