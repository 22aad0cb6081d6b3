import type { Config, Settings } from '../config/config.ts';
import { type ProfileSettings, Profiles, settingsWith } from '../config/profiles.ts';
import { STRATEGIES } from './index.ts';
import { type Preload, type PreloadParts, preloadOf } from './preload.ts';
import type { ReadyStrategy } from './strategy.ts';

/** Everything about exchanges that a profile may decide. */
export interface Policy {
  /** The name of the profile; undefined for requests that none matches. */
  readonly profile?: string | undefined;
  readonly settings: Settings;
  /** The load mode, if the profile has one of its own; otherwise that of the upstream holds. */
  readonly load?: ProfileSettings['load'];
  readonly strategy: ReadyStrategy;
  readonly preload: Preload;
}

/** Returns the policy of requests that no profile matches. */
export function policyOf(settings: Settings, parts: PreloadParts): Policy {
  const strategy = STRATEGIES[settings['tools.strategy']].configure(settings);
  return { settings, strategy, preload: preloadOf(settings, parts) };
}

/** Returns the profiles of a configuration, each with `complete` of its policy. */
export function profilesOf<Context>(
  { settings, profiles }: Pick<Config, 'settings' | 'profiles'>,
  parts: PreloadParts,
  complete: (policy: Policy) => Context,
): Profiles<Context> {
  const entries = Object.entries(profiles).map(([name, profile]) => {
    const policy = policyOf(settingsWith(settings, profile), parts);
    return { settings: profile, value: complete({ ...policy, profile: name, load: profile.load }) };
  });
  return new Profiles(entries, complete(policyOf(settings, parts)));
}
