import { type ExchangeOutcome, type RolloutArm, RolloutReason, type StoredRecord } from '@winnow/contract';
import { type Counts, CountsTally } from '../counting/counts.ts';
import { knownReason } from '../counting/known-reason.ts';
import { type Rate, rateOf } from '../counting/rate.ts';
import { type Names, TopNames } from '../counting/top-names.ts';
import { isGood } from './is-good.ts';
import { isRead } from './is-read.ts';

/** What came in, and what it was. */
export interface Traffic {
  readonly exchanges: number;
  /** When the first and the last exchange began, as ISO 8601; absent without any. */
  readonly from?: string;
  readonly to?: string;
  /** Exchanges whose request was read: outside of arm `off`, and not dropped before. */
  readonly looked: number;
  /** Of those, the ones whose answer was a stream. */
  readonly streams: number;
  readonly formats: Names;
  readonly upstreams: Names;
  /** Of exchanges that name one. */
  readonly models: Names;
  readonly strategies: Counts<string>;
  readonly loadModes: Counts<string>;
  readonly arms: Counts<RolloutArm>;
  readonly armReasons: Counts<RolloutReason | 'unknown'>;
  /** How the exchanges of each arm ended. */
  readonly outcomes: Readonly<Partial<Record<RolloutArm, Counts<ExchangeOutcome>>>>;
  /** Exchanges of each arm that failed, of those whose client did not leave: whatever is not a 2xx response received whole. */
  readonly failures: Readonly<Partial<Record<RolloutArm, Rate>>>;
  /** Those of all arms by upstream, status and what is known of the cause. */
  readonly failureCauses: Names;
  /** `deferred`, or why a request was left alone. Without arm `off`, in which requests are not looked at. */
  readonly planReasons: Names;
  /** Statuses that clients got, by their hundreds: `2xx`. */
  readonly statuses: Counts<string>;
}

/** Names that are reported of formats, upstreams, models and reasons. */
const MOST_NAMES = 20;

/** Gathers `Traffic`. */
export class TrafficTally {
  readonly #formats = new TopNames();
  readonly #upstreams = new TopNames();
  readonly #models = new TopNames();
  readonly #planReasons = new TopNames();
  readonly #failureCauses = new TopNames();
  readonly #strategies = new CountsTally<string>();
  readonly #loadModes = new CountsTally<string>();
  readonly #arms = new CountsTally<RolloutArm>();
  readonly #armReasons = new CountsTally<RolloutReason | 'unknown'>();
  readonly #statuses = new CountsTally<string>();
  readonly #outcomes = new Map<RolloutArm, CountsTally<ExchangeOutcome>>();
  readonly #failures = new Map<RolloutArm, { failed: number; whole: number }>();
  #exchanges = 0;
  #looked = 0;
  #streams = 0;
  #from = Number.POSITIVE_INFINITY;
  #to = Number.NEGATIVE_INFINITY;

  add(record: StoredRecord): void {
    const time = Date.parse(record.time);
    this.#from = Math.min(this.#from, time);
    this.#to = Math.max(this.#to, time);
    this.#exchanges++;
    this.#formats.add(record.format);
    this.#upstreams.add(record.upstream);
    if (record.model !== undefined) this.#models.add(record.model);
    this.#strategies.add(record.strategy);
    this.#loadModes.add(record.loadMode);
    this.#arms.add(record.arm);
    this.#armReasons.add(knownReason(RolloutReason, record.armReason));
    if (record.arm !== 'off') this.#addLooked(record);
    if (record.status !== undefined) this.#statuses.add(`${Math.floor(record.status / 100)}xx`);
    this.#outcomesOf(record.arm).add(record.outcome);
    if (record.outcome !== 'client_gone') this.#addEnding(record);
  }

  result(): Traffic {
    const period =
      this.#exchanges === 0
        ? {}
        : { from: new Date(this.#from).toISOString(), to: new Date(this.#to).toISOString() };
    return {
      exchanges: this.#exchanges,
      ...period,
      looked: this.#looked,
      streams: this.#streams,
      formats: this.#formats.result(MOST_NAMES),
      upstreams: this.#upstreams.result(MOST_NAMES),
      models: this.#models.result(MOST_NAMES),
      strategies: this.#strategies.result(),
      loadModes: this.#loadModes.result(),
      arms: this.#arms.result(),
      armReasons: this.#armReasons.result(),
      outcomes: Object.fromEntries([...this.#outcomes].map(([arm, tally]) => [arm, tally.result()])),
      failures: Object.fromEntries(
        [...this.#failures].map(([arm, { failed, whole }]) => [arm, rateOf(failed, whole)]),
      ),
      failureCauses: this.#failureCauses.result(MOST_NAMES),
      planReasons: this.#planReasons.result(MOST_NAMES),
      statuses: this.#statuses.result(),
    };
  }

  #addLooked(record: StoredRecord): void {
    this.#planReasons.add(record.planReason);
    if (!isRead(record)) return;
    this.#looked++;
    if (record.isStream) this.#streams++;
  }

  #addEnding(record: StoredRecord): void {
    const counts = this.#failures.get(record.arm) ?? { failed: 0, whole: 0 };
    counts.whole++;
    if (!isGood(record)) {
      counts.failed++;
      this.#failureCauses.add(causeOf(record));
    }
    this.#failures.set(record.arm, counts);
  }

  #outcomesOf(arm: RolloutArm): CountsTally<ExchangeOutcome> {
    const known = this.#outcomes.get(arm) ?? new CountsTally<ExchangeOutcome>();
    this.#outcomes.set(arm, known);
    return known;
  }
}

/** How a failed exchange ended, such as `openai 502 ECONNREFUSED`; a response that broke off has the status with which it began. */
function causeOf({ upstream, status, outcome, cause, failedRounds }: StoredRecord): string {
  const failed = failedRounds?.at(-1);
  const isBroken = outcome === 'failed' && status !== undefined && status < 300;
  const why =
    cause ?? failed?.cause ?? (isBroken ? (failed?.status ?? failed?.reason ?? 'broke off') : undefined);
  return [upstream, status, why].filter((part) => part !== undefined).join(' ');
}
