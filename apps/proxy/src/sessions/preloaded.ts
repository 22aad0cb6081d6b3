/** The tools that a conversation shows from its start. */
export interface Preloaded {
  /** Best first. */
  readonly names: readonly string[];
  /** The ranking that has chosen them; undefined if it is not known, or there was only one. */
  readonly by?: 'words' | 'meaning' | undefined;
}

/** Serialises the tools as a note's value. */
export function writePreloaded({ names, by }: Preloaded): string {
  return JSON.stringify(by === undefined ? names : { names, by });
}

/** Parses the value from `writePreloaded`: notes are sealed, so it has no other source. */
export function readPreloaded(value: string | undefined): Preloaded | undefined {
  if (value === undefined) return undefined;
  const read = JSON.parse(value) as Preloaded | readonly string[];
  return 'names' in read ? read : { names: read };
}
