import type { ExchangeRecord, SearchRecord } from '@winnow/core';
import type { Config } from '../config/config.ts';
import { rolloutModes } from '../config/profiles.ts';
import { type LogEffects, type LogEvent, minuteLog } from '../log/log.ts';
import { STRATEGIES } from '../strategies/index.ts';
import { causeOf, outcomeName, type SearchOutcome } from './search.ts';

/** Watches the selector through the records of exchanges. */
interface OpenSelectorWatch {
  /** Whether a selector is in use. */
  readonly isAsked: boolean;
  /** Probes the selector for the first time. */
  start(): void;
  /** Receives the record of an exchange. */
  take(record: Pick<ExchangeRecord, 'searches'>): void;
  close(): void;
}

/** Opens the watch over the selector; it does nothing if no selector is in use. */
export function openSelectorWatch(
  config: Config,
  probe: SelectorWatchOptions['probe'],
  effects: Pick<SelectorWatchOptions, 'now' | 'wallClock' | 'every' | 'writeLog'>,
): OpenSelectorWatch {
  const { settings } = config;
  const isOn = [...rolloutModes(config)].some((mode) => mode !== 'off');
  const isAsked =
    STRATEGIES[settings['tools.strategy']].search === 'selector' &&
    (isOn || settings['rollout.allow_override']);
  if (!isAsked) return { isAsked, start() {}, take() {}, close() {} };
  const watch = new SelectorWatch({ ...effects, probe });
  return {
    isAsked,
    start: () => watch.start(),
    take({ searches }) {
      for (const search of searches) watch.see(search);
    },
    close: () => watch.close(),
  };
}

/** The result of a search that says something about the selector. */
export type SelectorSign = Pick<SearchRecord, 'outcome' | 'cause'>;

interface SelectorWatchOptions extends LogEffects {
  /** Sends the selector a search that costs it nothing. Never rejects. */
  readonly probe: () => Promise<SearchOutcome>;
  /** Calls back at an interval in milliseconds until the returned function is called. */
  readonly every: (intervalMs: number, callBack: () => void) => () => void;
}

/**
 * Interval of probes of a failing selector, in milliseconds: slightly longer than the log suppresses equal
 * lines.
 */
const PROBE_MS = 61_000;

/**
 * Time that the selector may take to start, in milliseconds: when both start together, the proxy is often
 * first.
 */
const PATIENCE_MS = 10_000;

/** Interval of probes during that time, in milliseconds. */
const HURRY_MS = 500;

/**
 * Outcomes that are the selector's fault. The actions of the model, the client or the proxy's own breaker say
 * nothing about it.
 */
const BAD: ReadonlySet<SearchRecord['outcome']> = new Set([
  'missing_api_endpoint',
  'api_error',
  'api_timeout',
  'empty_selection',
  'unknown_selection_names',
]);
/** Bad outcomes that are still responses. */
const UNHELPFUL: ReadonlySet<SearchRecord['outcome']> = new Set([
  'empty_selection',
  'unknown_selection_names',
]);
const GOOD: ReadonlySet<SearchRecord['outcome']> = new Set(['found', 'weak', 'no_match']);

/**
 * Logs that the selector fails, and why, once a minute while it fails; and that it works again.
 *
 * A failed search costs its exchange a wasted round, and only the operator can help. The selector is
 * therefore probed at the start, before any model searches, and every minute while it fails. Each kind of
 * failure is logged separately, so that an expected one does not hide another.
 */
export class SelectorWatch {
  readonly #options: SelectorWatchOptions;
  readonly #log: (event: LogEvent) => void;
  #isFailing = false;
  /** Whether the last line reported a failure. */
  #hasToldFailing = false;
  #isProbing = false;
  #isClosed = false;
  #stop: () => void = () => {};

  constructor(options: SelectorWatchOptions) {
    this.#options = options;
    this.#log = minuteLog(options);
  }

  /** Probes the selector until it responds, for a limited time; afterwards only while it fails. */
  start(): void {
    const { now, every } = this.#options;
    const startedAt = now();
    const look = async () => {
      const sign = await this.#probe();
      if (sign === undefined || this.#isClosed) return;
      const isAway = sign.cause !== undefined && !STATUS.test(sign.cause);
      if (isAway && now() - startedAt < PATIENCE_MS) return;
      this.#stop();
      this.see(sign);
      this.#stop = every(PROBE_MS, () => void this.#lookAgain());
    };
    this.#stop = every(HURRY_MS, () => void look());
    void look();
  }

  /** Stops probing and logging. */
  close(): void {
    this.#isClosed = true;
    this.#stop();
  }

  async #lookAgain(): Promise<void> {
    const sign = this.#isFailing ? await this.#probe() : undefined;
    if (sign !== undefined) this.see(sign);
  }

  /** Returns the result of a probe; undefined while one is running. */
  async #probe(): Promise<SelectorSign | undefined> {
    if (this.#isProbing) return undefined;
    this.#isProbing = true;
    const sign = signOf(await this.#options.probe());
    this.#isProbing = false;
    // A selector that responds works, whatever it selects for the unknown tool.
    return UNHELPFUL.has(sign.outcome) ? { ...sign, outcome: 'no_match' } : sign;
  }

  /** Evaluates the result of one search. */
  see({ outcome, cause }: SelectorSign): void {
    if (this.#isClosed) return;
    if (GOOD.has(outcome)) this.#works();
    else if (BAD.has(outcome)) this.#fails({ outcome, cause });
  }

  #fails({ outcome: reason, cause }: SelectorSign): void {
    const setting = cause === '401' || cause === '403' ? 'tools.api.api_key' : 'tools.api.endpoint';
    this.#isFailing = true;
    this.#hasToldFailing = true;
    this.#log({ event: 'selector_failing', reason, cause, setting });
  }

  #works(): void {
    this.#isFailing = false;
    if (!this.#hasToldFailing) return;
    this.#hasToldFailing = false;
    this.#log({ event: 'selector_working' });
  }
}

const STATUS = /^\d{3}$/;

function signOf(outcome: SearchOutcome): SelectorSign {
  return { outcome: outcomeName(outcome), ...causeOf(outcome) };
}
