import type {
  RequestView,
  ResponseAlias,
  ResponseJoiner,
  SearchResult,
  Turn,
  UsageShown,
} from '@winnow/wire';
import type { Settings } from '../config/config.ts';
import type { MemoryHold } from '../memory/request-memory.ts';
import type { Tell } from '../records/exchange-fact.ts';
import type { Resolution } from '../search/resolve-searches.ts';
import type { ClientResponse } from './client-response.ts';
import type { ExchangeEffects } from './exchange-effects.ts';
import type { ExchangeSender } from './exchange-sender.ts';
import type { FormatExchange } from './format-exchange.ts';
import type { PlannedExchange } from './plan-exchange.ts';
import type { UnstoredItems } from './unstored-items.ts';

/** Interval of heartbeats to a client that waits, in milliseconds; the first comes so long after its request. */
export const HEARTBEAT_MS = 15_000;

/** A request with a search tool in it, and what the loop takes. */
export interface SearchLoop extends Pick<PlannedExchange, 'plan' | 'hiddenTurns'> {
  readonly session: Pick<PlannedExchange['session'], 'isShared' | 'add'>;
  /** The exchange's part of the memory that all share; responses that are kept count towards it. */
  readonly hold: MemoryHold;
  /** Most bytes of a response that is read as one. */
  readonly limitBytes: number;
  readonly exchange: FormatExchange;
  readonly view: RequestView;
  /** The stored response that the request goes on from. */
  readonly alias?: ResponseAlias | undefined;
  /** Names of the functions that the conversation has shown from its start. */
  readonly kept?: () => readonly string[];
  /** The thinking in the history is left out. */
  readonly dropsThinking: boolean;
  /** Whether the model's thinking is bound to its tools, so that these stay the same on every round. */
  readonly isBound: boolean;
  readonly sender: Pick<ExchangeSender, 'sendEdited'>;
  /** Places that have refused the ids of hidden items. */
  readonly unstoredItems: UnstoredItems;
  /** Told that the upstream, which took deferred tools, refuses references to them. */
  readonly onReferencesRefused: () => void;
  /** Resolves the searches of one turn. Never rejects. */
  readonly resolve: (turn: Turn, soFar: SearchesSoFar) => Promise<Resolution>;
  readonly every: ExchangeEffects['every'];
  readonly now: ExchangeEffects['now'];
  /** When the client first hears that the line is alive, by `now`: until then its response can still become any other. */
  readonly heartbeatAt: number;
  /** Number of times that a later round that fails in passing is asked for again. */
  readonly retryAttempts: number;
  readonly usageShown: UsageShown;
  readonly tell: Tell;
}

/** Context of a loop. */
export interface LoopContext {
  readonly settings: Settings;
  readonly unstoredItems: UnstoredItems;
  readonly effects: Pick<ExchangeEffects, 'now' | 'every'>;
}

/** The part of a loop's input that is the same for every kind of exchange. */
export function loopBasics({ target: { upstream } }: FormatExchange, context: LoopContext) {
  const { settings, unstoredItems, effects } = context;
  return {
    unstoredItems,
    limitBytes: settings['server.max_body'],
    every: effects.every,
    now: effects.now,
    heartbeatAt: effects.now() + HEARTBEAT_MS,
    retryAttempts: upstream.retryAttempts,
    usageShown: settings['tools.usage'],
  };
}

/** State of the loop that resolving a turn's searches depends on. */
export interface SearchesSoFar {
  /** Whether an earlier turn of this exchange was told that nothing matches. */
  readonly hadNoMatch: boolean;
  /** No further search is resolved. */
  readonly isLimit: boolean;
  /** The model had its last call: nothing that it calls now is answered. */
  readonly isOver: boolean;
  /** Results of earlier turns of this exchange. */
  readonly results: readonly SearchResult[];
}

/** The client's side of a loop: the joiner makes one response of all rounds. */
export interface LoopOutput {
  readonly client: ClientResponse;
  readonly joiner: ResponseJoiner;
}
