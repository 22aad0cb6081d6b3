import type { Config } from './config.ts';
import {
  CONDITIONS,
  type ProfiledRequest,
  type ProfileSettings,
  Profiles,
  settingsWith,
  unmetCondition,
} from './profiles.ts';

/** A request as the command line describes it. */
export interface DescribedRequest extends Omit<ProfiledRequest, 'upstream'> {
  readonly upstream: string | undefined;
  readonly model: string | undefined;
}

/** Fields of a profile that set something. */
const isSetting = ([field, value]: readonly [string, unknown]) =>
  value !== undefined && !field.startsWith('match.');

/** Returns a text that says which profile a request would get, why no earlier one, and which settings apply. */
export function explainProfile(
  { settings, profiles }: Pick<Config, 'settings' | 'profiles'>,
  request: DescribedRequest,
): string {
  const entries = Object.entries(profiles);
  const { model, upstream = '', ...rest } = request;
  const asked = { ...rest, upstream };
  const named = new Profiles<string | undefined>(
    entries.map(([name, own]) => ({ settings: own, value: name })),
    undefined,
  );
  const chosen = named.candidatesFor(asked).choose(model);
  const lines = entries.map(([name, own]) => lineOf(name, own, { chosen, asked: { ...asked, model } }));
  const own = chosen === undefined ? undefined : profiles[chosen];
  const effective = own === undefined ? settings : settingsWith(settings, own);
  return [
    chosen === undefined ? 'No profile matches: the general settings apply.' : `Profile: ${chosen}`,
    ...lines,
    '',
    ...EXPLAINED.map((key) => settingLine(key, effective[key], isOwn(own, key))),
    '',
  ].join('\n');
}

/** The settings that profiles may replace, by their keys. */
const EXPLAINED = [
  'tools.always_keep',
  'tools.preload',
  'tools.goal',
  'tools.min_tools',
  'tools.max_tools',
  'tools.min_deferred_tokens',
  'tools.max_search_results',
  'rollout.mode',
  'rollout.percent',
] as const;

function isOwn(profile: ProfileSettings | undefined, key: string): boolean {
  const own = Object.entries(profile ?? {}).filter(isSetting);
  return own.some(([field]) => key === field || key === `tools.${field}`);
}

function settingLine(key: string, value: unknown, isOfProfile: boolean): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return `  ${key}: ${text}${isOfProfile ? '   (of the profile)' : ''}`;
}

function lineOf(
  name: string,
  settings: ProfileSettings,
  { chosen, asked }: { readonly chosen: string | undefined; readonly asked: DescribedRequest },
): string {
  const unmet = unmetCondition(settings, asked);
  if (unmet !== undefined) {
    const wanted = settings[unmet].join(', ');
    const given = asked[unmet.slice('match.'.length) as keyof DescribedRequest];
    return `  ${name}: no, ${unmet} is ${wanted}, and the request has ${given || 'none'}`;
  }
  if (name !== chosen) return `  ${name}: would match, but comes later`;
  const met = CONDITIONS.filter((condition) => settings[condition].length > 0);
  return `  ${name}: yes, ${met.length === 0 ? 'it matches every request' : `by ${met.join(', ')}`}`;
}
