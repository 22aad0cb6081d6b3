import { readFileSync, statSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import type { SettingsTable } from './settings/setting.ts';
import type { Replaced, ServerTlsFiles } from './tls.ts';

/** The outcome of taking settings over. */
export type Reloaded =
  | {
      readonly ok: true;
      /** Names of the settings that hold from now on. */
      readonly changed: readonly string[];
      /** Names of the settings that hold after a restart only. */
      readonly needsRestart: readonly string[];
    }
  | { readonly ok: false; readonly problems: readonly string[] };

/** The way in which a service takes settings over while it runs. */
export interface Reloading {
  /** Returns the files whose content matters: that of the settings, which may not exist, and others. */
  readonly files: () => readonly string[];
  /** Reads the settings again, and takes them over. Refused settings change nothing. */
  readonly reload: () => Reloaded;
  /** Called with every outcome. */
  readonly tell: (outcome: Reloaded) => void;
}

/** Takes settings over when they change, and when it is told to. */
export interface SettingsWatch {
  /** Reloads at once. */
  readonly reload: () => void;
  /**
   * Reloads if files have changed and are the same in two calls: a file that is being written is not read. To be
   * called about once a second.
   */
  readonly check: () => void;
}

/**
 * Returns the watch over the files of settings. A missing file, or one without a setting, is refused if there was
 * one: it would take every rule away. So is a pipe, which gives its content once.
 */
export function watchSettings({ files, reload, tell }: Reloading): SettingsWatch {
  const [file = ''] = files();
  const read = () => files().map((path) => `${path}\n${contentOf(path)}`);
  const hadFile = isPipe(file) || !isEmpty(contentOf(file));
  let taken = read().join('\0');
  let seen = taken;
  const take = (contents: readonly string[]) => {
    const before = files().join('\0');
    taken = contents.join('\0');
    const isGone = hadFile && isEmpty(contents[0]?.slice(file.length) ?? '');
    tell(
      isGone ? { ok: false, problems: [`${file} is missing, is not a file, or has no setting.`] } : reload(),
    );
    // Other files matter now.
    if (files().join('\0') !== before) seen = taken = read().join('\0');
  };
  return {
    reload: () => take(read()),
    check: () => {
      const contents = read();
      const now = contents.join('\0');
      const isSettled = now === seen;
      seen = now;
      if (isSettled && now !== taken) take(contents);
    },
  };
}

/** Whether a file has comments at most, as one may that is being written. */
function isEmpty(text: string): boolean {
  return text.split('\n').every((line) => /^\s*(?:#.*|---\s*)?$/.test(line));
}

/** Returns the content of a file, or an empty text. To read a pipe could block for ever. */
function contentOf(file: string): string {
  try {
    return isPipe(file) ? '' : readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** Whether a path leads to something else than a file, such as `/dev/fd/63`, which a shell makes of `<(command)`. */
function isPipe(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === false;
}

/** The settings of a service with a JSON API that may change while it runs. */
export interface TakingSettings<Settings> {
  /** The settings at the start. */
  readonly settings: Settings;
  readonly table: SettingsTable;
  /** Keys of settings that follow from a file which the table names. */
  readonly keys?: Readonly<Record<string, string>>;
  /** Names of the settings that may change, in addition to the certificate's. */
  readonly mayChange: readonly (keyof Settings & string)[];
  /** Returns the problems of settings together, one sentence each: the mixture of old and new is checked as well. */
  readonly problems: (settings: Settings) => readonly string[];
  /** Uses settings from the next request on. */
  readonly use: (settings: Settings) => void;
}

/** The parts of a running service that follow its settings. */
export interface Changeable {
  readonly replaceCertificates: (files: ServerTlsFiles) => Replaced;
}

/**
 * Returns the function that takes settings over while a service runs: those that may change hold from the next
 * request on, and the others are named. If anything is refused, nothing changes.
 */
export function takeSettings<Settings extends ServerTlsFiles>(
  { settings, table, keys = {}, mayChange, problems, use }: TakingSettings<Settings>,
  { replaceCertificates }: Changeable,
): (read: Settings) => Reloaded {
  let running = settings;
  const names = new Set<string>(mayChange);
  const keyOf = (name: string) => keys[name] ?? table[name]?.key ?? name;
  return (read) => {
    const { merged, changed, kept } = mergeSettings(running, read, (name) => names.has(name));
    const found = problems(merged);
    if (found.length > 0) return { ok: false, problems: found };
    const certificates = replaceCertificates(merged);
    if (!certificates.ok) return certificates;
    running = merged;
    use(merged);
    return {
      ok: true,
      changed: [...changed.map(keyOf), ...certificates.changed],
      needsRestart: kept.map(keyOf),
    };
  };
}

/** Running settings with what may change, taken from those that were read. */
export interface MergedSettings<Settings> {
  readonly merged: Settings;
  /** Names of the settings that were taken over. */
  readonly changed: readonly string[];
  /** Names of the settings that differ, and were not taken over. */
  readonly kept: readonly string[];
}

/** Returns running settings with those that differ and may change, taken from others. */
export function mergeSettings<Settings extends object>(
  running: Settings,
  read: Settings,
  mayChange: (name: string) => boolean,
): MergedSettings<Settings> {
  const differing = differences(running, read);
  const changed = differing.filter(mayChange);
  const taken = Object.fromEntries(changed.map((name) => [name, read[name as keyof Settings]]));
  return {
    merged: { ...running, ...taken },
    changed,
    kept: differing.filter((name) => !mayChange(name)),
  };
}

/** Returns the names whose values differ. */
export function differences(left: object, right: object): string[] {
  const names = new Set([...Object.keys(left), ...Object.keys(right)]);
  const memberOf = (values: object, name: string) => (values as Readonly<Record<string, unknown>>)[name];
  return [...names].filter((name) => !isDeepStrictEqual(memberOf(left, name), memberOf(right, name)));
}
