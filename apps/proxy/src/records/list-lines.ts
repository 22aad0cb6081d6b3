import { RECORD_VERSION } from '@winnow/contract';
import { RecentMap } from '@winnow/service';
import { isoTime } from './iso-time.ts';
import type { ListedTools } from './listed-tools.ts';

/** Interval after which a list is written again, in milliseconds: files are rotated and moved away. */
const AGAIN_MS = 3_600_000;

/** Number of lists whose last line is known. */
const MOST_LISTS = 1_000;

/** Maximum number of characters of lists per minute: a client may send other tools each time. */
const MOST_CHARS_PER_MINUTE = 1024 * 1024;

const MINUTE_MS = 60_000;

/** The lines of tool lists: each once an hour while exchanges use it, and not more than files can take. */
export class ListLines {
  readonly #writtenAt = new RecentMap<string, number>(MOST_LISTS);
  readonly #wallClock: () => number;
  #minute = 0;
  #chars = 0;

  /** `wallClock` is in milliseconds since the epoch. */
  constructor(wallClock: () => number) {
    this.#wallClock = wallClock;
  }

  /** Returns the line to write before an exchange with this list, with its line feed; empty if it is not due. */
  lineBefore({ id, json }: ListedTools): string {
    const now = this.#wallClock();
    const writtenAt = this.#writtenAt.get(id);
    if (writtenAt !== undefined && now - writtenAt < AGAIN_MS) return '';
    if (!this.#hasRoom(json.length, now)) return '';
    this.#writtenAt.set(id, now);
    const head = JSON.stringify({ version: RECORD_VERSION, event: 'tool_list', time: isoTime(now), id });
    return `${head.slice(0, -1)},"tools":${json}}\n`;
  }

  #hasRoom(chars: number, now: number): boolean {
    const minute = Math.floor(now / MINUTE_MS);
    if (minute !== this.#minute) {
      this.#minute = minute;
      this.#chars = 0;
    }
    this.#chars += chars;
    return this.#chars <= MOST_CHARS_PER_MINUTE;
  }
}
