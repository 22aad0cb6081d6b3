import { RecentMap } from '@winnow/service';
import type { Config, Settings } from '../config/config.ts';
import { Profiles, settingsWith } from '../config/profiles.ts';
import { STRATEGIES } from './index.ts';
import { type Preload, type PreloadParts, preloadOf } from './preload.ts';
import type { ReadyStrategy } from './strategy.ts';

/** Everything about exchanges that a profile may decide. */
export interface Policy {
  /** The name of the profile; undefined for requests that none matches. */
  readonly profile?: string | undefined;
  readonly settings: Settings;
  readonly strategy: ReadyStrategy;
  readonly preload: Preload;
  /** The settings that shape the head of a prompt, as text: equal for equal settings. */
  readonly head: string;
  /** Returns the settings that differ for a conversation that began with another head. */
  readonly withHead: (head: string) => Pick<Policy, 'settings' | 'strategy' | 'preload' | 'head'>;
}

/** The settings that shape the head of a prompt, other than the load mode. */
const HEAD_SETTINGS = [
  'tools.always_keep',
  'tools.preload',
  'tools.goal',
  'tools.min_tools',
  'tools.max_tools',
  'tools.target_ratio',
  'tools.min_deferred_tokens',
  'tools.search_tool_name',
] as const satisfies readonly (keyof Settings)[];

/** Maximum number of earlier heads to keep ready; another one is made again. */
const MAX_HEADS = 16;

/** Returns the policy of requests that no profile matches. */
export function policyOf(settings: Settings, parts: PreloadParts): Policy {
  const heads = new RecentMap<string, ReturnType<Policy['withHead']>>(MAX_HEADS);
  const own = headedPolicy(settings, parts);
  const withHead = (head: string) =>
    head === own.head
      ? own
      : heads.getOrAdd(head, () => headedPolicy({ ...settings, ...JSON.parse(head) }, parts));
  return { ...own, withHead };
}

/** Returns a head that keeps some more tools. */
export function headKeeping(head: string, names: readonly string[]): string {
  const settings = JSON.parse(head) as Pick<Settings, (typeof HEAD_SETTINGS)[number]>;
  const kept = [...new Set([...settings['tools.always_keep'], ...names])];
  return JSON.stringify({ ...settings, 'tools.always_keep': kept });
}

function headedPolicy(settings: Settings, parts: PreloadParts) {
  const strategy = STRATEGIES[settings['tools.strategy']].configure(settings);
  const head = JSON.stringify(Object.fromEntries(HEAD_SETTINGS.map((key) => [key, settings[key]])));
  return { settings, strategy, preload: preloadOf(settings, parts), head };
}

/** Returns the profiles of a configuration, each with `complete` of its policy. */
export function profilesOf<Context>(
  { settings, profiles }: Pick<Config, 'settings' | 'profiles'>,
  parts: PreloadParts,
  complete: (policy: Policy) => Context,
): Profiles<Context> {
  const entries = Object.entries(profiles).map(([name, profile]) => {
    const policy = policyOf(settingsWith(settings, profile), parts);
    return { settings: profile, value: complete({ ...policy, profile: name }) };
  });
  return new Profiles(entries, complete(policyOf(settings, parts)));
}
