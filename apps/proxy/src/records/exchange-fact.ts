import type {
  AgentRecord,
  ExchangeOutcome,
  ExchangeRecord,
  ExpectedDeferral,
  FailedRound,
  Observation,
  PlanReason,
  RestoreReason,
  RolloutArm,
  RolloutReason,
  SearchRecord,
  TokenUsage,
} from '@winnow/core';
import type { LoadMode, Plan, ToolSection } from '@winnow/wire';
import type { CalledTools, ListedTools, ShownTools } from './request-facts.ts';

/**
 * One event in an exchange. Plain data.
 *
 * Every report about an exchange, while it runs or afterwards, is folded from its facts: see `foldRecord`.
 */
export type ExchangeFact =
  /** The body of the client's request has arrived. */
  | { readonly kind: 'received' }
  /** It was read, as far as possible. */
  | {
      readonly kind: 'read';
      /** The format that knows the body. */
      readonly format: string;
      readonly model: string | undefined;
      readonly isStream: boolean;
    }
  /** The decision whether the tools are edited. */
  | {
      readonly kind: 'decided';
      readonly arm: RolloutArm;
      readonly reason: RolloutReason;
    }
  /** A profile of the settings matches the request. */
  | { readonly kind: 'profiled'; readonly profile: string }
  /** The request is sent unchanged, without a plan. */
  | { readonly kind: 'left_alone'; readonly reason: PlanReason }
  /** The agent that the request comes from. */
  | ({ readonly kind: 'agent_met' } & AgentRecord)
  | {
      readonly kind: 'session_read';
      /** The first characters of the session's key. */
      readonly session: string | undefined;
      readonly hiddenTurns: number;
      /** Number of failed reads. */
      readonly errors: number;
    }
  | {
      readonly kind: 'planned';
      readonly reason: PlanReason;
      readonly loadMode: LoadMode;
      readonly tools: ShownTools;
      /** The tools by name and size; undefined if there are none, or too many. */
      readonly list?: ListedTools | undefined;
      /** The estimates that decided whether to defer. */
      readonly expected?: ExpectedDeferral | undefined;
      /** Approximate bytes of the request that no earlier one of its conversation had. */
      readonly newBytes?: number;
      /**
       * Number of the request's tools that each name or glob of `always_keep` matches; undefined without any.
       */
      readonly alwaysKeep?: Readonly<Record<string, number>>;
      /** The basis of the plan, for the live page; records omit it. */
      readonly look?: PlanLook;
    }
  /**
   * A request to the upstream begins, with the size of its body; undefined if the body is passed on as it
   * arrives.
   */
  | { readonly kind: 'sent'; readonly bytes?: number | undefined }
  /**
   * The response to it is complete, and work of the proxy follows. A response that is passed on unchanged
   * ends with the exchange.
   */
  | {
      readonly kind: 'round_ended';
      /** Number of the round, from 1; a retried round ends more than once. */
      readonly round: number;
      /** Usage of this response alone. */
      readonly usage: TokenUsage | undefined;
    }
  /** A request of the search loop failed; another attempt may follow. */
  | ({ readonly kind: 'round_failed' } & FailedRound)
  /** The searches of one turn begin. */
  | { readonly kind: 'searching'; readonly queries?: readonly string[] }
  | {
      readonly kind: 'searched';
      readonly searches: readonly SearchRecord[];
    }
  /** The tools that the next request of the exchange shows the model. */
  | {
      readonly kind: 'loaded';
      readonly tools: ShownTools;
      /** Deferred tools that the model sees from now on, including earlier ones. */
      readonly names?: readonly string[];
    }
  /** The upstream refused references to deferred tools: from this round on, tools are loaded by swapping. */
  | { readonly kind: 'swapped' }
  /** The original bytes go to the upstream after edited ones. */
  | { readonly kind: 'restored'; readonly because: RestoreReason }
  /** The calls of the response that the client gets. */
  | ({ readonly kind: 'called' } & CalledTools)
  | { readonly kind: 'session_written'; readonly errors: number }
  /** The client has its response; later work delays no client. */
  | { readonly kind: 'delivered' }
  /** The findings about an exchange whose plan was not carried out. */
  | {
      readonly kind: 'observed';
      readonly observation: Observation;
      readonly search?: SearchRecord | undefined;
    }
  | {
      readonly kind: 'ended';
      readonly outcome: ExchangeOutcome;
      readonly status: number | undefined;
      /** The system's code of a transport error. */
      readonly cause?: string | undefined;
    };

/**
 * A plan, and the parts of the request that it follows from: references to existing data, and no message
 * text.
 */
export interface PlanLook {
  readonly plan: Plan;
  readonly section: ToolSection | undefined;
  /** Names that the conversation's first message keeps. */
  readonly preloaded: readonly string[];
  /** Names in `tool_choice`. */
  readonly chosen: readonly string[];
}

/** Receives a fact when it happens. */
export type Tell = (fact: ExchangeFact) => void;

/** The known facts when an exchange begins: fields of its record. */
export type RecordStart = Pick<ExchangeRecord, 'time' | 'requestId' | 'upstream' | 'format' | 'strategy'>;

/** A fact with its time. */
export interface TimedFact {
  readonly at: number;
  readonly fact: ExchangeFact;
}

/** An exchange up to a moment. Times are milliseconds of one monotonic clock. */
export interface ExchangeSoFar {
  readonly start: RecordStart;
  readonly startedAt: number;
  /** In the order in which they happened. */
  readonly facts: readonly TimedFact[];
  readonly now: number;
}

/** The facts of one exchange, each with its time. Facts are only added; all reports are folded from them. */
export class Timeline {
  readonly #start: RecordStart;
  readonly #now: () => number;
  readonly #startedAt: number;
  readonly #facts: TimedFact[] = [];

  /** `now` is a monotonic clock in milliseconds. */
  constructor(start: RecordStart, now: () => number) {
    this.#start = start;
    this.#now = now;
    this.#startedAt = now();
  }

  readonly tell: Tell = (fact) => {
    this.#facts.push({ at: this.#now(), fact });
  };

  /** Returns the exchange up to now. */
  soFar(): ExchangeSoFar {
    return { start: this.#start, startedAt: this.#startedAt, facts: this.#facts, now: this.#now() };
  }
}
