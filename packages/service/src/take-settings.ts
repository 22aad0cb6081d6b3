import type { Reloaded } from './reload-settings.ts';
import { mergeSettings } from './settings/merge-settings.ts';
import type { SettingsTable } from './settings/setting.ts';
import type { ServerTlsFiles } from './tls/read-server-tls.ts';
import type { Replaced } from './tls/replace-certificates.ts';

/** The settings of a service with a JSON API that may change while it runs. */
export interface TakingSettings<Settings> {
  /** The settings at the start. */
  readonly settings: Settings;
  readonly table: SettingsTable;
  /** Keys of settings that follow from a file which the table names. */
  readonly keys?: Readonly<Record<string, string>>;
  /** Names of the settings that may change, in addition to those of every service. */
  readonly mayChange: readonly (keyof Settings & string)[];
  /** Returns the problems of settings together, one sentence each: the mixture of old and new is checked as well. */
  readonly problems: (settings: Settings) => readonly string[];
  /** Uses settings from the next request on. */
  readonly use: (settings: Settings) => void;
}

/** The parts of a running service that follow its settings. */
export interface Changeable {
  readonly useLimits: (limits: { readonly maxBodyBytes: number }) => void;
  readonly replaceCertificates: (files: ServerTlsFiles) => Replaced;
}

/**
 * Returns the function that takes settings over while a service runs: those that may change hold from the next
 * request on, and the others are named. If anything is refused, nothing changes.
 */
export function takeSettings<Settings extends ServerTlsFiles & { readonly maxBodyBytes: number }>(
  { settings, table, keys = {}, mayChange, problems, use }: TakingSettings<Settings>,
  { useLimits, replaceCertificates }: Changeable,
): (read: Settings) => Reloaded {
  let running = settings;
  const names = new Set<string>(['maxBodyBytes', ...mayChange]);
  const keyOf = (name: string) => keys[name] ?? table[name]?.key ?? name;
  return (read) => {
    const { merged, changed, kept } = mergeSettings(running, read, (name) => names.has(name));
    const found = problems(merged);
    if (found.length > 0) return { ok: false, problems: found };
    const certificates = replaceCertificates(merged);
    if (!certificates.ok) return certificates;
    running = merged;
    useLimits(merged);
    use(merged);
    return {
      ok: true,
      changed: [...changed.map(keyOf), ...certificates.changed],
      needsRestart: kept.map(keyOf),
    };
  };
}
