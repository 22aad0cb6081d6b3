import type { ExchangeOutcome, ExchangeRecord, RolloutArm, RolloutReason } from '@winnow/contract';
import { type Counts, CountsTally } from '../counting/counts.ts';
import { type Names, TopNames } from '../counting/top-names.ts';
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
  readonly armReasons: Counts<RolloutReason>;
  /** How the exchanges of each arm ended. */
  readonly outcomes: Readonly<Partial<Record<RolloutArm, Counts<ExchangeOutcome>>>>;
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
  readonly #strategies = new CountsTally<string>();
  readonly #loadModes = new CountsTally<string>();
  readonly #arms = new CountsTally<RolloutArm>();
  readonly #armReasons = new CountsTally<RolloutReason>();
  readonly #statuses = new CountsTally<string>();
  readonly #outcomes = new Map<RolloutArm, CountsTally<ExchangeOutcome>>();
  #exchanges = 0;
  #looked = 0;
  #streams = 0;
  #from = Number.POSITIVE_INFINITY;
  #to = Number.NEGATIVE_INFINITY;

  add(record: ExchangeRecord): void {
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
    this.#armReasons.add(record.armReason);
    if (record.arm !== 'off') this.#addLooked(record);
    if (record.status !== undefined) this.#statuses.add(`${Math.floor(record.status / 100)}xx`);
    this.#outcomesOf(record.arm).add(record.outcome);
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
      planReasons: this.#planReasons.result(MOST_NAMES),
      statuses: this.#statuses.result(),
    };
  }

  #addLooked(record: ExchangeRecord): void {
    this.#planReasons.add(record.planReason);
    if (!isRead(record)) return;
    this.#looked++;
    if (record.isStream) this.#streams++;
  }

  #outcomesOf(arm: RolloutArm): CountsTally<ExchangeOutcome> {
    const known = this.#outcomes.get(arm) ?? new CountsTally<ExchangeOutcome>();
    this.#outcomes.set(arm, known);
    return known;
  }
}
