import { isDeepStrictEqual } from 'node:util';
import { accessProblems, type Config, type Settings, type UpstreamSettings } from './config.ts';

/** The outcome of reading the configuration again; names are those of settings. */
export type Merged =
  | {
      readonly ok: true;
      readonly config: Config;
      /** Settings that hold from the next request on. */
      readonly changed: readonly string[];
      /** Settings that differ, and hold after a restart only. */
      readonly needsRestart: readonly string[];
    }
  | { readonly ok: false; readonly problems: readonly string[] };

/** Settings that decide for each request anew. All others shape memory, connections or the heads of prompts. */
const CHANGEABLE: ReadonlySet<string> = new Set<keyof Settings>([
  'server.tokens',
  'server.allowed_hosts',
  'server.allowed_origins',
  'server.response_headers',
  'tools.enabled',
  'rollout.mode',
  'rollout.percent',
  'rollout.allow_override',
  'page.token',
]);

/** Fields of an upstream that conversations under way depend on. */
const KEPT_FIELDS: ReadonlySet<string> = new Set<keyof UpstreamSettings>([
  'format',
  'load',
  'native',
  'polyfill',
  'thinking_bound',
]);

/**
 * Returns the running configuration with what may change while requests run, taken from another. Refused if the
 * mixture would be open to everybody: the other may have an access rule for another address.
 */
export function mergeConfig(running: Config, read: Config): Merged {
  const settings = mergeFields(running.settings, read.settings, (key) => CHANGEABLE.has(key));
  const upstreams = mergeUpstreams(running.upstreams, read.upstreams);
  const config: Config = {
    ...running,
    settings: settings.merged,
    upstreams: upstreams.merged,
  };
  const problems = accessProblems(config.settings, config.upstreams);
  if (problems.length > 0) return { ok: false, problems };
  return {
    ok: true,
    config,
    changed: [...settings.changed, ...upstreams.changed],
    needsRestart: [
      ...settings.kept,
      ...upstreams.kept,
      ...differences(running.profiles, read.profiles).map((name) => `profiles.${name}`),
      ...differences(running.providers, read.providers).map((name) => `providers.${name}`),
    ],
  };
}

interface MergedFields<Fields> {
  readonly merged: Fields;
  readonly changed: readonly string[];
  readonly kept: readonly string[];
}

function mergeFields<Fields extends object>(
  running: Fields,
  read: Fields,
  mayChange: (key: string) => boolean,
): MergedFields<Fields> {
  const differing = differences(running, read);
  const changed = differing.filter(mayChange);
  const taken = Object.fromEntries(changed.map((key) => [key, read[key as keyof Fields]]));
  return {
    merged: { ...running, ...taken },
    changed,
    kept: differing.filter((key) => !mayChange(key)),
  };
}

type Upstreams = Config['upstreams'];

function mergeUpstreams(running: Upstreams, read: Upstreams): MergedFields<Upstreams> {
  const merged: Record<string, UpstreamSettings> = {};
  const gone = Object.keys(running).filter((name) => !Object.hasOwn(read, name));
  const changed = gone.map((name) => `upstreams.${name}`);
  const kept: string[] = [];
  for (const [name, upstream] of Object.entries(read)) {
    const before = Object.hasOwn(running, name) ? running[name] : undefined;
    if (before === undefined) {
      merged[name] = upstream;
      changed.push(`upstreams.${name}`);
      continue;
    }
    const fields = mergeFields(before, upstream, (field) => !KEPT_FIELDS.has(field));
    merged[name] = fields.merged;
    changed.push(...fields.changed.map((field) => `upstreams.${name}.${field}`));
    kept.push(...fields.kept.map((field) => `upstreams.${name}.${field}`));
  }
  return { merged, changed, kept };
}

/** Returns the keys whose values differ. */
function differences(left: object, right: object): string[] {
  const keys = new Set([...Object.keys(left), ...Object.keys(right)]);
  const fieldOf = (fields: object, key: string) => (fields as Readonly<Record<string, unknown>>)[key];
  return [...keys].filter((key) => !isDeepStrictEqual(fieldOf(left, key), fieldOf(right, key)));
}
