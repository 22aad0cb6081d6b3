import { isDeepStrictEqual } from 'node:util';
import { type MergedSettings, mergeSettings } from '@winnow/service';
import { accessProblems, type Config, type Settings, type UpstreamSettings } from './config.ts';

/** The outcome of reading the configuration again; names are those of settings. */
type Merged =
  | {
      readonly ok: true;
      readonly config: Config;
      /** Settings that hold from the next request on. */
      readonly changed: readonly string[];
      /** Settings that differ, and hold after a restart only. */
      readonly needsRestart: readonly string[];
    }
  | { readonly ok: false; readonly problems: readonly string[] };

/**
 * Settings that apply to each request, or shape the heads of new conversations. All others shape memory or
 * connections.
 */
const CHANGEABLE: ReadonlySet<string> = new Set<keyof Settings>([
  'server.tokens',
  'server.allowed_hosts',
  'server.allowed_origins',
  'tools.goal',
  'tools.min_tools',
  'tools.max_tools',
  'tools.target_ratio',
  'tools.preload',
  'tools.min_deferred_tokens',
  'tools.always_keep',
  'tools.max_search_results',
  'rollout.mode',
  'rollout.percent',
  'rollout.allow_override',
  'page.token',
]);

/** Fields of an upstream that conversations under way depend on. */
const KEPT_FIELDS: ReadonlySet<string> = new Set<keyof UpstreamSettings>(['format', 'polyfill']);

/**
 * Returns the running configuration with the changeable settings of another. Refused if the mixture would be
 * open to everyone: the other may have an access rule for another address.
 */
export function mergeConfig(running: Config, read: Config): Merged {
  const settings = mergeSettings(running.settings, read.settings, (key) => CHANGEABLE.has(key));
  const upstreams = mergeMembers('upstreams', running.upstreams, read.upstreams, KEPT_FIELDS);
  const profiles = mergeMembers('profiles', running.profiles, read.profiles);
  const config: Config = {
    ...running,
    settings: settings.merged,
    upstreams: upstreams.merged,
    profiles: profiles.merged,
  };
  const problems = accessProblems(config.settings, config.upstreams);
  if (problems.length > 0) return { ok: false, problems };
  return {
    ok: true,
    config,
    changed: [...settings.changed, ...upstreams.changed, ...profiles.changed],
    needsRestart: [...settings.kept, ...upstreams.kept],
  };
}

type Members<Fields> = Readonly<Record<string, Fields>>;

/** Merges the members of a family, in the order of `read`. `keptFields` do not change while requests run. */
function mergeMembers<Fields extends object>(
  family: string,
  running: Members<Fields>,
  read: Members<Fields>,
  keptFields: ReadonlySet<string> = new Set(),
): MergedSettings<Members<Fields>> {
  const merged: Record<string, Fields> = {};
  const gone = Object.keys(running).filter((name) => !Object.hasOwn(read, name));
  const changed = gone.map((name) => `${family}.${name}`);
  const kept: string[] = [];
  for (const [name, member] of Object.entries(read)) {
    const before = Object.hasOwn(running, name) ? running[name] : undefined;
    if (before === undefined) {
      merged[name] = member;
      changed.push(`${family}.${name}`);
      continue;
    }
    const fields = mergeSettings(before, member, (field) => !keptFields.has(field));
    merged[name] = fields.merged;
    changed.push(...fields.changed.map((field) => `${family}.${name}.${field}`));
    kept.push(...fields.kept.map((field) => `${family}.${name}.${field}`));
  }
  const isReordered = !isDeepStrictEqual(Object.keys(running), Object.keys(merged));
  if (isReordered && changed.length === 0) changed.push(family);
  return { merged, changed, kept };
}
