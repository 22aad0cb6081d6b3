import type {
  ExchangeOutcome,
  FailedRound,
  NewlyLoaded,
  PlanReason,
  RegistryCall,
  RegistryOffer,
  RestoreReason,
  RolloutArm,
  RolloutReason,
  SearchRecord,
  TokenUsage,
} from '@winnow/contract';
import type { LoadMode, Plan, RoundNotices, ToolSection } from '@winnow/wire';
import type { ShownTools } from './shown-tools.ts';

/**
 * One thing that has happened in an exchange. Plain data.
 *
 * Whatever is told of an exchange, while it runs or afterwards, is folded from its facts: see `foldRecord`.
 */
export type ExchangeFact =
  /** The body of the client's request is there. */
  | { readonly kind: 'received' }
  /** It was read, as far as it could be. */
  | { readonly kind: 'read'; readonly model: string | undefined; readonly isStream: boolean }
  /** Whether the tools are to be touched. */
  | { readonly kind: 'decided'; readonly arm: RolloutArm; readonly reason: RolloutReason }
  /** The request goes on as it is, without a plan. */
  | { readonly kind: 'left_alone'; readonly reason: PlanReason }
  | {
      readonly kind: 'session_read';
      /** The first characters of the session's key. */
      readonly session: string | undefined;
      readonly hiddenTurns: number;
      readonly store: StoreUse;
    }
  | {
      readonly kind: 'planned';
      readonly reason: PlanReason;
      readonly loadMode: LoadMode;
      readonly tools: ShownTools;
      /** Tools that stay visible for the conversation's first message. */
      readonly preloaded?: number;
      /** For each name or glob of `always_keep`, how many of the request's tools it is for; undefined without any. */
      readonly alwaysKeep?: Readonly<Record<string, number>>;
      /** What the plan was made of, for those who watch; no record has it. */
      readonly look?: PlanLook;
    }
  /** A request to the upstream begins, with a body of so many bytes; undefined when it is passed on while it comes. */
  | { readonly kind: 'sent'; readonly bytes?: number | undefined }
  /** The response to it is whole, and is followed by work of the proxy's. One that is passed on as it is ends with the exchange. */
  | {
      readonly kind: 'round_ended';
      /** Which round, from 1; one that is repeated ends more than once. */
      readonly round: number;
      /** Of this response alone. */
      readonly usage: TokenUsage | undefined;
      /** What the provider said of how it took the request; absent when it said nothing. */
      readonly notices?: RoundNotices;
    }
  /** A request of the search loop failed; another try may follow. */
  | ({ readonly kind: 'round_failed' } & FailedRound)
  /** The searches of one turn begin. */
  | { readonly kind: 'searching'; readonly queries?: readonly string[] }
  | {
      readonly kind: 'searched';
      readonly searches: readonly SearchRecord[];
      readonly newlyLoaded: NewlyLoaded;
      /** Of calls of the registry's tools that stood in the same turn; absent without any. */
      readonly registryCalls?: readonly RegistryCall[] | undefined;
    }
  /** The client wants the registry's tools, and this became of it. */
  | { readonly kind: 'offered'; readonly outcome: RegistryOffer }
  /** What the next request of the exchange shows the model. */
  | {
      readonly kind: 'loaded';
      readonly tools: ShownTools;
      /** Deferred tools that the model sees from here on, earlier ones included. */
      readonly names?: readonly string[];
    }
  /** The upstream has refused references to deferred tools: tools are loaded by swapping from here on, in this round for the first time. */
  | { readonly kind: 'swapped'; readonly round: number }
  /** The thinking of earlier turns is left out from here on. */
  | { readonly kind: 'thinking_dropped' }
  /** The original bytes go to the upstream after edited ones, or have gone. */
  | { readonly kind: 'restored'; readonly because: RestoreReason }
  | { readonly kind: 'session_written'; readonly store: StoreUse }
  /** The client has its response; what is done from here on keeps nobody waiting. */
  | { readonly kind: 'delivered' }
  | {
      readonly kind: 'ended';
      readonly outcome: ExchangeOutcome;
      readonly status: number | undefined;
      /** The system's code for what failed on the wire. */
      readonly cause?: string | undefined;
    };

/** A plan, and what of the request it follows from: what others hold, and nothing of a message. */
export interface PlanLook {
  readonly plan: Plan;
  readonly section: ToolSection | undefined;
  /** Names that the conversation's first message keeps. */
  readonly preloaded: readonly string[];
  /** Names in `tool_choice`. */
  readonly chosen: readonly string[];
}

/** What one use of the session store came to. */
export interface StoreUse {
  /** How long the client waited for it, in milliseconds. */
  readonly waitedMs: number;
  /** What could not be read or stored. */
  readonly errors: number;
}

/** Takes a fact when it happens. */
export type Tell = (fact: ExchangeFact) => void;
