import { coversPattern, matcherOf } from './name-pattern.ts';
import { CONDITIONS, type ProfileSettings } from './profiles.ts';

/** The names that conditions can match. */
export interface KnownNames {
  readonly upstreams: readonly string[];
  readonly tokens: readonly string[];
}

/**
 * Returns a sentence for each profile that cannot match any request: an earlier one matches all of its
 * requests, or it names an upstream or a token that does not exist.
 */
export function unreachableProfiles(
  profiles: Readonly<Record<string, ProfileSettings>>,
  { upstreams, tokens }: KnownNames,
): string[] {
  const entries = Object.entries(profiles);
  return entries.flatMap(([name, settings], place) => {
    const before = entries.slice(0, place).find(([, earlier]) => covers(earlier, settings));
    const never = `profiles.${name} cannot match any request`;
    if (before) return [`${never}: profiles.${before[0]} comes before it and matches all of its requests.`];
    const isAbsent = (condition: 'match.upstream' | 'match.token', names: readonly string[]) =>
      settings[condition].length > 0 && !names.some(matcherOf(settings[condition]));
    if (isAbsent('match.upstream', upstreams)) return [`${never}: no upstream has a name in match.upstream.`];
    if (isAbsent('match.token', tokens)) return [`${never}: no token has a name in match.token.`];
    return [];
  });
}

/** Whether a profile matches every request that another matches. */
function covers(earlier: ProfileSettings, later: ProfileSettings): boolean {
  return CONDITIONS.every((condition) => {
    const [own, other] = [earlier[condition], later[condition]];
    if (own.length === 0) return true;
    return other.length > 0 && other.every((pattern) => own.some((one) => coversPattern(one, pattern)));
  });
}
