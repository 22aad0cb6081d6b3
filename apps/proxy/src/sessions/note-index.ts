/** An index of notes trimmed to its limits. */
export interface TrimmedIndex {
  /** Number of entries that stay: the newest. */
  readonly kept: number;
  /** Keys of the removed entries. */
  readonly removed: readonly string[];
}

/**
 * Trims an index whose entries are the size and the key of a note, oldest first. Above the limits, it frees a
 * quarter of the room, so that not every addition trims.
 */
export function trimmed(
  entries: readonly string[],
  limits: { readonly notes: number; readonly bytes: number },
): TrimmedIndex {
  const notes = entries.map(readEntry);
  const total = notes.reduce((sum, { bytes }) => sum + bytes, 0);
  if (notes.length <= limits.notes && total <= limits.bytes) return { kept: notes.length, removed: [] };
  let room = limits.bytes * ROOM_AFTER;
  let first = notes.length;
  const fewest = notes.length - limits.notes * ROOM_AFTER;
  while (first > 0 && first > fewest && notes[first - 1]!.bytes <= room) {
    first--;
    room -= notes[first]!.bytes;
  }
  const stay = new Set(notes.slice(first).map(({ key }) => key));
  const gone = notes.slice(0, first).map(({ key }) => key);
  return { kept: notes.length - first, removed: [...new Set(gone)].filter((key) => !stay.has(key)) };
}

const ROOM_AFTER = 3 / 4;

function readEntry(entry: string): { bytes: number; key: string } {
  const at = entry.indexOf(' ');
  return { bytes: Math.max(0, Number(entry.slice(0, at))) || 0, key: entry.slice(at + 1) };
}
