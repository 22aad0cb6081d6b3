import type { SearchRecord } from '@winnow/contract';
import { type LogEffects, type LogEvent, minuteLog } from '../log/minute-log.ts';
import { outcomeName, type SearchOutcome } from './search.ts';

/** What a search says of the selector. */
export type SelectorSign = Pick<SearchRecord, 'outcome' | 'status' | 'cause'>;

/** What watching takes. */
export interface SelectorWatchOptions extends LogEffects {
  /** Asks the selector something that costs it nothing. Never rejects. */
  readonly probe: () => Promise<SearchOutcome>;
  /** Names of the settings that say where the selector is, and what it lets in. */
  readonly settings: { readonly endpoint: string; readonly apiKey: string };
  /** Calls back every so many milliseconds until the function that it gives is called. */
  readonly every: (intervalMs: number, callBack: () => void) => () => void;
}

/** How often a selector that fails is asked again, in milliseconds: a little less often than the log would say so. */
const PROBE_MS = 61_000;

/** How long the selector may take to be there, in milliseconds: whoever starts both at once starts the proxy first as often as not. */
const PATIENCE_MS = 10_000;

/** How often it is asked meanwhile, in milliseconds. */
const HURRY_MS = 500;

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
 * before any model does, and every minute while it fails. Each way to fail is said by itself: one that nobody meant must not hide another.
 */
export class SelectorWatch {
  readonly #options: SelectorWatchOptions;
  readonly #log: (event: LogEvent) => void;
  #isFailing = false;
  /** Whether the last line said that it fails. */
  #hasToldFailing = false;
  #isProbing = false;
  #isClosed = false;
  #stop: () => void = () => {};

  constructor(options: SelectorWatchOptions) {
    this.#options = options;
    this.#log = minuteLog(options);
  }

  /** Asks the selector until it is there, for a while; from then on only as long as it fails. */
  start(): void {
    const { now, every } = this.#options;
    const startedAt = now();
    const look = async () => {
      const sign = await this.#probe();
      if (sign === undefined || this.#isClosed) return;
      const isAway = sign.cause !== undefined;
      if (isAway && now() - startedAt < PATIENCE_MS) return;
      this.#stop();
      this.see(sign);
      this.#stop = every(PROBE_MS, () => void this.#lookAgain());
    };
    this.#stop = every(HURRY_MS, () => void look());
    void look();
  }

  /** Asks and says nothing any more. */
  close(): void {
    this.#isClosed = true;
    this.#stop();
  }

  async #lookAgain(): Promise<void> {
    const sign = this.#isFailing ? await this.#probe() : undefined;
    if (sign !== undefined) this.see(sign);
  }

  /** What the selector says for itself; undefined while it is being asked. */
  async #probe(): Promise<SelectorSign | undefined> {
    if (this.#isProbing) return undefined;
    this.#isProbing = true;
    const sign = signOf(await this.#options.probe());
    this.#isProbing = false;
    // A selector that answers works, whatever it makes of a tool that it cannot know.
    return UNHELPFUL.has(sign.outcome) ? { ...sign, outcome: 'no_match' } : sign;
  }

  /** Takes what one search says of the selector. */
  see({ outcome, status, cause }: SelectorSign): void {
    if (this.#isClosed) return;
    if (GOOD.has(outcome)) this.#works();
    else if (BAD.has(outcome)) this.#fails({ outcome, status, cause });
  }

  #fails({ outcome: reason, status, cause }: SelectorSign): void {
    const { endpoint, apiKey } = this.#options.settings;
    const setting = status === 401 || status === 403 ? apiKey : endpoint;
    this.#isFailing = true;
    this.#hasToldFailing = true;
    this.#log({ event: 'selector_failing', reason, status, cause, setting });
  }

  #works(): void {
    this.#isFailing = false;
    if (!this.#hasToldFailing) return;
    this.#hasToldFailing = false;
    this.#log({ event: 'selector_working' });
  }
}

function signOf(outcome: SearchOutcome): SelectorSign {
  const { status, cause } = outcome;
  const name = outcomeName(outcome);
  return { outcome: name, ...(status !== undefined && { status }), ...(cause !== undefined && { cause }) };
}
