import { isDeepStrictEqual } from 'node:util';

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
