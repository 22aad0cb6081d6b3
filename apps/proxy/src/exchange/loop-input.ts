import type { RequestView, ResponseAlias, ResponseJoiner, Turn, UsageShown } from '@winnow/wire';
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

/**
 * Interval of heartbeats to a waiting client, in milliseconds; the first follows its request after this time.
 */
export const HEARTBEAT_MS = 15_000;

/** A request with a search tool, and the context of its loop. */
export interface SearchLoop extends Pick<PlannedExchange, 'plan' | 'hiddenTurns'> {
  readonly session: Pick<PlannedExchange['session'], 'isShared' | 'add'>;
  /** The exchange's hold on the shared memory; buffered responses count towards it. */
  readonly hold: MemoryHold;
  /** Maximum size of a response that must be read as a whole, in bytes. */
  readonly limitBytes: number;
  readonly exchange: FormatExchange;
  readonly view: RequestView;
  /** The stored response that the request continues from. */
  readonly alias?: ResponseAlias | undefined;
  /** Returns the names of the functions that the conversation has shown from its start. */
  readonly kept?: () => readonly string[];
  /** Whether the thinking in the history is omitted. */
  readonly dropsThinking: boolean;
  /** Whether the model's thinking is bound to its tools, so that these must stay the same in every round. */
  readonly isBound: boolean;
  readonly sender: Pick<ExchangeSender, 'sendEdited'>;
  /** Places that have refused the ids of hidden items. */
  readonly unstoredItems: UnstoredItems;
  /** Called when the upstream, which accepted deferred tools, refuses references to them. */
  readonly onReferencesRefused: () => void;
  /** Called when the upstream refuses a change of tools within the conversation. */
  readonly onChangeRefused: () => void;
  /** Resolves the searches of one turn; with `isLimit`, all tools are shown instead. Never rejects. */
  readonly resolve: (turn: Turn, isLimit: boolean) => Promise<Resolution>;
  readonly every: ExchangeEffects['every'];
  readonly pause: ExchangeEffects['pause'];
  readonly now: ExchangeEffects['now'];
  /** Time of the client's first heartbeat, by `now`: until then its response can still be replaced. */
  readonly heartbeatAt: number;
  /** Number of retries when a later round fails temporarily. */
  readonly retryAttempts: number;
  readonly usageShown: UsageShown;
  readonly tell: Tell;
}

export interface LoopContext {
  readonly settings: Settings;
  readonly unstoredItems: UnstoredItems;
  readonly effects: Pick<ExchangeEffects, 'now' | 'every' | 'pause'>;
}

/** Returns the input of a loop that is the same for every kind of exchange. */
export function loopBasics({ target: { upstream } }: FormatExchange, context: LoopContext) {
  const { settings, unstoredItems, effects } = context;
  return {
    unstoredItems,
    limitBytes: settings['server.max_body'],
    every: effects.every,
    pause: effects.pause,
    now: effects.now,
    heartbeatAt: effects.now() + HEARTBEAT_MS,
    retryAttempts: upstream.retryAttempts,
    usageShown: settings['tools.usage'],
  };
}

/** The client's side of a loop: the joiner makes one response of all rounds. */
export interface LoopOutput {
  readonly client: ClientResponse;
  readonly joiner: ResponseJoiner;
}
