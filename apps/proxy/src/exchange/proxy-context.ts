import type { KeyObject } from 'node:crypto';
import type { ExchangeRecord, RolloutArm } from '@winnow/contract';
import type { Tracer } from '@winnow/tracing';
import type { Settings } from '../config/config.ts';
import type { StallWatch } from '../http/stall-watch.ts';
import type { RequestMemory } from '../memory/request-memory.ts';
import type { ExchangeTap, TappedExchange } from '../observe/exchange-tap.ts';
import type { OfferedRegistry } from '../offer/open-registry.ts';
import type { Search } from '../search/search.ts';
import type { PendingWork } from '../sessions/pending-work.ts';
import type { SessionStore } from '../sessions/session-store.ts';
import type { LoadModes } from '../strategies/load-modes.ts';
import type { Preload } from '../strategies/preload.ts';
import type { ReadyStrategy } from '../strategies/strategy.ts';
import type { SendUpstream } from '../upstream/send-upstream.ts';
import type { Tap } from '../upstream/tap.ts';
import type { IncomingExchange } from './incoming-exchange.ts';
import type { ReportContext } from './report-exchange.ts';
import type { UnstoredItems } from './unstored-items.ts';

/** What every exchange of a running proxy shares. */
export interface ProxyContext {
  readonly settings: Settings;
  readonly send: SendUpstream;
  readonly searches: Readonly<Record<'local' | 'selector', Search>>;
  /** The registry whose tools are offered; undefined when none are. */
  readonly registry?: OfferedRegistry | undefined;
  readonly sessions: SessionStore;
  /** Keeps session keys from telling what they were made of. */
  readonly sessionSecret: KeyObject;
  readonly memory: RequestMemory;
  /** Ends the bodies of requests that stand still. */
  readonly stalls: StallWatch;
  readonly pendingWork: PendingWork;
  readonly strategy: ReadyStrategy;
  readonly loadModes: LoadModes;
  readonly unstoredItems: UnstoredItems;
  readonly preload: Preload;
  /** A tap for an exchange that is about to be forwarded as it is; undefined when there is nothing to find out about it. */
  readonly tap: (exchange: Omit<TappedExchange, 'arm'>, arm: RolloutArm) => ExchangeTap | undefined;
  /** A tap for a request that no format handles; undefined when nothing is to be found out about it. */
  readonly tapUnread: (exchange: IncomingExchange) => Tap | undefined;
  /** Takes the record of each exchange, once, when it is over, with its tap. Never throws, and nobody waits for it. */
  readonly takeRecord: (record: ExchangeRecord, tap?: ExchangeTap) => void;
  /** The last exchanges, for those who watch; undefined where the page is switched off. */
  readonly live?: ReportContext['live'];
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
  /** Waits until the event loop has been round, so that others get their turn. */
  readonly pause: () => Promise<void>;
}
