import { readFileSync, statSync } from 'node:fs';

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
