import { type ExchangeOutcome, type RolloutArm, RolloutReason, type StoredRecord } from '@winnow/core';
import { RateTally } from '../counting/rate.ts';
import { CountsTally, isGood, knownReason, resultsOf, TallyByArm } from '../counting/tallies.ts';
import { TopNames } from '../counting/top-names.ts';

/** The number of names of formats, upstreams, models and reasons to report. */
const MOST_NAMES = 20;

/** Gathers the exchanges by their properties. */
export class TrafficTally {
  readonly #tallies = {
    formats: new TopNames(),
    upstreams: new TopNames(),
    /** Models of the exchanges that name one. */
    models: new TopNames(),
    /** Profiles of the settings, of the exchanges that one matched. */
    profiles: new TopNames(),
    strategies: new CountsTally<string>(),
    loadModes: new CountsTally<string>(),
    arms: new CountsTally<RolloutArm>(),
    armReasons: new CountsTally<RolloutReason | 'unknown'>(),
    outcomes: new TallyByArm(() => new CountsTally<ExchangeOutcome>()),
    /** Exchanges without a whole 2xx response, of those whose client did not leave. */
    failures: new TallyByArm(() => new RateTally()),
    /** Failures of all arms by upstream, status and cause. */
    failureCauses: new TopNames(),
    /** `deferred`, or why a request was left alone. Without arm `off`, whose requests are not read. */
    planReasons: new TopNames(),
    /** The statuses that clients got, by their hundreds: `2xx`. */
    statuses: new CountsTally<string>(),
  };
  #exchanges = 0;
  #from = Number.POSITIVE_INFINITY;
  #to = Number.NEGATIVE_INFINITY;

  add(record: StoredRecord): void {
    const tallies = this.#tallies;
    const time = Date.parse(record.time);
    this.#from = Math.min(this.#from, time);
    this.#to = Math.max(this.#to, time);
    this.#exchanges++;
    tallies.formats.add(record.format);
    tallies.upstreams.add(record.upstream);
    if (record.model !== undefined) tallies.models.add(record.model);
    if (record.profile !== undefined) tallies.profiles.add(record.profile);
    tallies.strategies.add(record.strategy);
    tallies.loadModes.add(record.loadMode);
    tallies.arms.add(record.arm);
    tallies.armReasons.add(knownReason(RolloutReason, record.armReason));
    if (record.arm !== 'off') tallies.planReasons.add(record.planReason);
    if (record.status !== undefined) tallies.statuses.add(`${Math.floor(record.status / 100)}xx`);
    tallies.outcomes.of(record).add(record.outcome);
    if (record.outcome !== 'client_gone') this.#addEnding(record);
  }

  result() {
    const iso = (time: number) => new Date(time).toISOString();
    return {
      exchanges: this.#exchanges,
      /** When the first and the last exchange began, as ISO 8601; absent without an exchange. */
      ...(this.#exchanges > 0 && { from: iso(this.#from), to: iso(this.#to) }),
      ...resultsOf(this.#tallies, MOST_NAMES),
    };
  }

  #addEnding(record: StoredRecord): void {
    const isFailed = !isGood(record);
    this.#tallies.failures.of(record).add(isFailed);
    if (isFailed) this.#tallies.failureCauses.add(causeOf(record));
  }
}

/** Returns how an exchange failed, such as `openai 502 ECONNREFUSED`; a truncated response has its first status. */
function causeOf({ upstream, status, outcome, cause, failedRounds }: StoredRecord): string {
  const failed = failedRounds?.at(-1);
  const isBroken = outcome === 'failed' && status !== undefined && status < 300;
  const why = cause ?? (isBroken ? (failed?.cause ?? failed?.reason ?? 'broke off') : failed?.cause);
  return [upstream, status, why].filter((part) => part !== undefined).join(' ');
}
