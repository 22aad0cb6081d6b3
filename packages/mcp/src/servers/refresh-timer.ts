import type { After } from './process-group.ts';
import { SERVER_TIMES } from './server-connection.ts';
import type { ServerEntry } from './server-entry.ts';

/** Schedules the next reading of a server's list: when it is due, or soon after a notice. */
export class RefreshTimer {
  readonly #after: After;
  readonly #refresh: () => void;
  readonly #minMs: number;
  #cancelDue = () => {};
  #cancelNotice: (() => void) | undefined;
  /** Number of lists in a row that were announced as changed and were not. */
  #idleReadings = 0;
  #isStopped = false;

  constructor(after: After, { refresh }: Pick<ServerEntry, 'refresh'>, run: () => void) {
    this.#after = after;
    this.#minMs = refresh.minMs;
    this.#refresh = run;
  }

  /** In so many milliseconds, in place of any time that was set before. */
  schedule(delayMs: number): void {
    this.#cancelDue();
    if (!this.#isStopped) this.#cancelDue = this.#after(delayMs, this.#refresh);
  }

  /** One notice or a thousand: one refresh, and a later one each time when nothing had changed. */
  notice(): void {
    if (this.#cancelNotice !== undefined || this.#isStopped) return;
    const { debounceMs } = SERVER_TIMES;
    const delay = Math.min(
      debounceMs * 2 ** Math.max(0, this.#idleReadings - 1),
      Math.max(debounceMs, this.#minMs),
    );
    this.#cancelNotice = this.#after(delay, () => {
      this.#cancelNotice = undefined;
      this.#refresh();
    });
  }

  /** A list is being read: the timer is cancelled. */
  begin(): void {
    this.#cancelDue();
  }

  /** A list was read, and so many of its tools had changed. */
  succeed(changed: number): void {
    this.#idleReadings = changed > 0 ? 0 : this.#idleReadings + 1;
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancelDue();
    this.#cancelNotice?.();
  }
}
