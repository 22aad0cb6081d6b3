import { addContent, noContent, type Timeline, type TimelineEntry } from '../sections/timeline.ts';
import { formatDuration } from '../text/format.ts';

const DAY_MS = 86_400_000;

/** Returns a timeline of at most `most` entries, with neighbours summed up where needed. */
export function joinTimeline({ entries, widthMs }: Timeline, most: number): Timeline {
  const size = Math.max(1, Math.ceil(entries.length / most));
  const groups = Array.from({ length: Math.ceil(entries.length / size) }, (_, index) =>
    entries.slice(index * size, (index + 1) * size),
  );
  return { widthMs: widthMs * size, entries: groups.map(sumEntries) };
}

/** Returns the labels of entries, as short as possible: hours within a day, else days, with the hour if needed. */
export function timeLabels({ entries, widthMs }: Timeline): string[] {
  const first = entries[0]?.start ?? '';
  const last = entries.at(-1)?.start ?? '';
  const isOneDay = first.slice(0, 10) === last.slice(0, 10);
  return entries.map(({ start }) => {
    if (isOneDay) return start.slice(11, widthMs < 60_000 ? 19 : 16);
    return widthMs % DAY_MS === 0 ? start.slice(5, 10) : `${start.slice(5, 10)} ${start.slice(11, 16)}`;
  });
}

/** `in steps of 15 minutes, universal time` */
export function describeSteps({ widthMs }: Timeline): string {
  return `in steps of ${formatDuration(widthMs)}, universal time`;
}

function sumEntries(entries: readonly TimelineEntry[]): TimelineEntry {
  const sum = noContent();
  for (const entry of entries) addContent(sum, entry);
  return { start: entries[0]!.start, ...sum };
}
