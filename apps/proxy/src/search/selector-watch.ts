import type { SearchRecord } from '@winnow/contract';
import type { SearchOutcome } from './search.ts';

/** What a search says of the selector. */
export type SelectorSign = Pick<SearchRecord, 'outcome' | 'status' | 'cause'>;

/** What watching takes. */
export interface SelectorWatchOptions {
  /** Asks the selector something that costs it nothing. Never rejects. */
  readonly probe: () => Promise<SearchOutcome>;
  /** Names of the settings that say where the selector is, and what it lets in. */
  readonly settings: { readonly endpoint: string; readonly apiKey: string };
  /** Milliseconds that only ever grow. */
  readonly now: () => number;
  /** Milliseconds since the epoch. */
  readonly wallClock: () => number;
  /** Calls back every so many milliseconds until the function that it gives is called. */
  readonly every: (intervalMs: number, callBack: () => void) => () => void;
  /** Takes log lines. */
  readonly writeLog: (lines: string) => void;
}

/** How often a selector that fails is asked again, in milliseconds. */
const PROBE_MS = 60_000;

/** How long a failure is not told again, in milliseconds: a little less, so that no probe comes a moment too early. */
const QUIET_MS = 55_000;

/** Outcomes for which the selector is to blame. What the model, the client or the proxy's own breaker did says nothing about it. */
const BAD: ReadonlySet<SearchRecord['outcome']> = new Set([
  'missing_api_endpoint',
  'api_error',
  'api_timeout',
  'empty_selection',
  'unknown_selection_names',
]);
/** Those of them that are answers all the same. */
const UNHELPFUL: ReadonlySet<SearchRecord['outcome']> = new Set([
  'empty_selection',
  'unknown_selection_names',
]);
const GOOD: ReadonlySet<SearchRecord['outcome']> = new Set(['found', 'no_match']);

/**
 * Says that the selector fails, and why, once a minute as long as it does, and that it works again.
 *
 * A search that fails costs its exchange a round for nothing, and nobody but the operator can help: so the selector is asked at the start,
 * before any model does, and every minute while it fails.
 */
export class SelectorWatch {
  readonly #options: SelectorWatchOptions;
  #isFailing = false;
  #toldAt = Number.NEGATIVE_INFINITY;
  #untold = 0;
  /** Whether the last line said that it fails. */
  #hasToldFailing = false;
  #isClosed = false;
  #stop: () => void = () => {};

  constructor(options: SelectorWatchOptions) {
    this.#options = options;
  }

  /** Asks the selector now, and again as long as it fails. */
  start(): void {
    void this.#probe();
    this.#stop = this.#options.every(PROBE_MS, () => {
      if (this.#isFailing) void this.#probe();
    });
  }

  /** Asks and says nothing any more. */
  close(): void {
    this.#isClosed = true;
    this.#stop();
  }

  async #probe(): Promise<void> {
    const sign = signOf(await this.#options.probe());
    // A selector that answers works, whatever it makes of a tool that it cannot know.
    this.see(UNHELPFUL.has(sign.outcome) ? { ...sign, outcome: 'no_match' } : sign);
  }

  /** Takes what one search says of the selector. */
  see({ outcome, status, cause }: SelectorSign): void {
    if (this.#isClosed) return;
    if (GOOD.has(outcome)) this.#works();
    else if (BAD.has(outcome)) this.#fails({ outcome, status, cause });
  }

  #fails({ outcome, status, cause }: SelectorSign): void {
    const { now, settings } = this.#options;
    this.#isFailing = true;
    if (now() - this.#toldAt < QUIET_MS) {
      this.#untold++;
      return;
    }
    const setting = status === 401 || status === 403 ? settings.apiKey : settings.endpoint;
    const since = this.#untold === 0 ? undefined : this.#untold;
    this.#toldAt = now();
    this.#untold = 0;
    this.#hasToldFailing = true;
    this.#write({ event: 'selector_failing', reason: outcome, status, cause, setting, since });
  }

  #works(): void {
    this.#isFailing = false;
    if (!this.#hasToldFailing) return;
    this.#hasToldFailing = false;
    this.#write({ event: 'selector_working' });
  }

  #write(line: { readonly event: string } & Readonly<Record<string, unknown>>): void {
    const { wallClock, writeLog } = this.#options;
    writeLog(`${JSON.stringify({ time: new Date(wallClock()).toISOString(), ...line })}\n`);
  }
}

function signOf(outcome: SearchOutcome): SelectorSign {
  const { status, cause } = outcome;
  const name = outcome.ok ? (outcome.isNoMatch ? 'no_match' : 'found') : outcome.reason;
  return { outcome: name, ...(status !== undefined && { status }), ...(cause !== undefined && { cause }) };
}
