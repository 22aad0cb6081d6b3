import type { ValuesOf } from '@winnow/service';
import { coversPattern, matcherOf } from './name-pattern.ts';
import type { PROFILE_SETTINGS, SETTINGS } from './settings.ts';

type Settings = ValuesOf<typeof SETTINGS>;

export type ProfileSettings = ValuesOf<typeof PROFILE_SETTINGS>;

/** The parts of a request that profiles match and that its head shows. */
export interface ProfiledRequest {
  /** The name of its upstream. */
  readonly upstream: string;
  /** Its user agent. */
  readonly agent: string | undefined;
  /** The name of the client's token. */
  readonly token: string | undefined;
}

/** Returns these parts of a request. */
export function profiledRequest({
  request,
  target,
  token,
}: {
  readonly request: { readonly headers: Readonly<Record<string, string | readonly string[] | undefined>> };
  readonly target: { readonly upstream: { readonly name: string } };
  readonly token?: string | undefined;
}): ProfiledRequest {
  return { upstream: target.upstream.name, agent: request.headers['user-agent']?.toString(), token };
}

/** The conditions of a profile, as fields of its settings. */
const CONDITIONS = ['match.upstream', 'match.agent', 'match.token', 'match.model'] as const;

/** The conditions that the head of a request decides, with the parts that they look at. */
const OF_HEAD = { 'match.upstream': 'upstream', 'match.agent': 'agent', 'match.token': 'token' } as const;

/** Longest part of a user agent or a model's name that is matched, in characters: clients may write anything. */
const MATCHED_CHARS = 256;

/** A profile with its value. */
interface ProfileEntry<Value> {
  readonly settings: ProfileSettings;
  readonly value: Value;
}

interface Rule<Value> {
  readonly matchesHead: (request: ProfiledRequest) => boolean;
  /** Undefined for a profile of all models. */
  readonly matchesModel: ((model: string) => boolean) | undefined;
  /** The candidates of a request for which this is the first profile that matches. */
  readonly alone: Candidates<Value>;
}

/** The profiles in their order, each with a value. The first one that matches a request holds for it. */
export class Profiles<Value> {
  readonly #rules: readonly Rule<Value>[];
  readonly #otherwise: Candidates<Value>;

  /** `otherwise` is the value for requests that no profile matches. */
  constructor(profiles: readonly ProfileEntry<Value>[], otherwise: Value) {
    this.#rules = profiles.map(({ settings, value }) => ({
      matchesHead: headMatcher(settings),
      matchesModel: matcherOrUndefined(settings['match.model']),
      alone: new Candidates([], value),
    }));
    this.#otherwise = new Candidates([], otherwise);
  }

  /** The value for requests that no profile matches. */
  get otherwise(): Value {
    return this.#otherwise.choose(undefined);
  }

  /** Returns the values that may apply to a request, by its head. */
  candidatesFor(request: ProfiledRequest): Candidates<Value> {
    const open: OpenRule<Value>[] = [];
    for (const { matchesHead, matchesModel, alone } of this.#rules) {
      if (!matchesHead(request)) continue;
      const value = alone.choose(undefined);
      if (matchesModel === undefined) return open.length === 0 ? alone : new Candidates(open, value);
      open.push({ matchesModel, value });
    }
    return open.length === 0 ? this.#otherwise : new Candidates(open, this.otherwise);
  }
}

interface OpenRule<Value> {
  readonly matchesModel: (model: string) => boolean;
  readonly value: Value;
}

/** The values that may hold for a request whose model is not known yet. */
export class Candidates<Value> {
  readonly #open: readonly OpenRule<Value>[];
  readonly #last: Value;

  constructor(open: readonly OpenRule<Value>[], last: Value) {
    this.#open = open;
    this.#last = last;
  }

  /** Whether the model does not matter. */
  get isSettled(): boolean {
    return this.#open.length === 0;
  }

  /** All values that may hold, at least one. */
  get values(): readonly Value[] {
    return [...this.#open.map(({ value }) => value), this.#last];
  }

  /** Returns the value for a model; undefined for a request that names none. */
  choose(model: string | undefined): Value {
    if (model === undefined || this.isSettled) return this.#last;
    const name = model.slice(0, MATCHED_CHARS);
    return this.#open.find(({ matchesModel }) => matchesModel(name))?.value ?? this.#last;
  }
}

/** Returns the settings of requests that a profile holds for. */
export function settingsWith(settings: Settings, profile: ProfileSettings): Settings {
  const own = Object.entries(profile).flatMap(([field, value]) => {
    const key = keyOf(field);
    return value === undefined || key === undefined ? [] : [[key, value]];
  });
  return { ...settings, ...Object.fromEntries(own) };
}

/** Returns the modes of rollout that requests may get. */
export function rolloutModes({
  settings,
  profiles,
}: {
  readonly settings: Settings;
  readonly profiles: Readonly<Record<string, ProfileSettings>>;
}): ReadonlySet<Settings['rollout.mode']> {
  const own = Object.values(profiles).flatMap(({ 'rollout.mode': mode }) => mode ?? []);
  return new Set([settings['rollout.mode'], ...own]);
}

/** Returns the key of the setting that a field of a profile replaces; undefined for another field. */
function keyOf(field: string): string | undefined {
  if (field.startsWith('match.')) return undefined;
  return field.startsWith('rollout.') ? field : `tools.${field}`;
}

function headMatcher(settings: ProfileSettings): (request: ProfiledRequest) => boolean {
  const conditions = Object.entries(OF_HEAD).flatMap(([condition, part]) => {
    const matches = matcherOrUndefined(settings[condition as keyof typeof OF_HEAD]);
    return matches === undefined ? [] : [{ part, matches }];
  });
  return (request) =>
    conditions.every(({ part, matches }) => {
      const text = request[part];
      return text !== undefined && matches(text.slice(0, MATCHED_CHARS));
    });
}

function matcherOrUndefined(patterns: readonly string[]): ((name: string) => boolean) | undefined {
  return patterns.length === 0 ? undefined : matcherOf(patterns);
}

/** The names that conditions can match. */
interface KnownNames {
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
