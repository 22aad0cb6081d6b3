import type { KeyObject } from 'node:crypto';
import type { ExchangeRecord } from '@winnow/contract';
import type { Tracer } from '@winnow/tracing';
import type { RequestMemory } from './client/request-memory.ts';
import type { Settings } from './config.ts';
import type { ExchangeWatch, WatchedExchange } from './observe/exchange-watch.ts';
import type { Search } from './search/search.ts';
import type { PendingWork } from './sessions/pending-work.ts';
import type { SessionStore } from './sessions/session-store.ts';
import type { LoadModes } from './strategies/load-modes.ts';
import type { SendUpstream } from './upstream/upstream-client.ts';

/** What every exchange of a running proxy shares. */
export interface ProxyContext {
  readonly settings: Settings;
  readonly send: SendUpstream;
  readonly searches: Readonly<Record<'local' | 'selector', Search>>;
  readonly sessions: SessionStore;
  /** Keeps session keys from telling what they were made of. */
  readonly sessionSecret: KeyObject;
  readonly memory: RequestMemory;
  readonly pendingWork: PendingWork;
  readonly loadModes: LoadModes;
  /** Begins to watch an exchange that is about to be forwarded as it is; undefined when there is nothing to find out about it. */
  readonly watch: (exchange: WatchedExchange) => ExchangeWatch | undefined;
  /** Takes the record of each exchange, once, when it is over, with what was watched of it. Never throws, and nobody waits for it. */
  readonly report: (record: ExchangeRecord, watch?: ExchangeWatch) => void;
  /** Told of errors that are defects, with what failed. */
  readonly onDefect: (error: unknown) => void;
  /** Begins the spans of exchanges. */
  readonly tracer: Tracer;
  readonly effects: ExchangeEffects;
}

/** What exchanges take from the world around them. */
export interface ExchangeEffects {
  /** Milliseconds that only ever grow. */
  readonly now: () => number;
  /** Milliseconds since the epoch. */
  readonly wallClock: () => number;
  readonly makeId: () => string;
  /** Calls back every so many milliseconds until the function that it gives is called. */
  readonly every: (intervalMs: number, callBack: () => void) => () => void;
}
