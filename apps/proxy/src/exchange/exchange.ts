import type { Span } from '@winnow/service';
import type { Format, Purpose } from '@winnow/wire';
import type { ClientIdentity } from '../sessions/client-identity.ts';
import type { Target } from '../upstream/choose-upstream.ts';
import type { ClientRequest, ClientSignal, ResponsePlace } from '../upstream/client.ts';
import type { UpstreamResponse } from '../upstream/send-upstream.ts';

/** One request on its way through the proxy. */
export interface IncomingExchange {
  readonly request: ClientRequest;
  readonly response: ResponsePlace;
  /** The only writer of the head of `response`. */
  readonly head: HeadWriter;
  readonly target: Target;
  /** The name of the client's token; undefined if it has none. */
  readonly token?: string | undefined;
  /** Tells its sender from others, as text that must not outlive it; undefined if nothing does. */
  readonly sender?: string | undefined;
  /** Aborts when the client leaves before its response is complete. */
  readonly signal: ClientSignal;
  /**
   * Passes an upstream's response unchanged to a client in this process; returns false if parts of it were
   * read. Undefined for a client on a connection, to which bytes are relayed.
   */
  readonly handOver?: ((response: UpstreamResponse) => boolean) | undefined;
}

/** A request on its way, with its place in a trace. */
export interface TracedExchange extends IncomingExchange {
  /** The span of the exchange; its steps are child spans. */
  readonly span: Span;
}

/** A request in a supported format on its way through the proxy. */
export interface FormatExchange extends TracedExchange {
  readonly format: Format;
  readonly purpose: Purpose;
  readonly identity: ClientIdentity;
}

/** The end of an exchange, as fields of its record. */
export interface Ending {
  readonly outcome: 'answered' | 'failed';
  /** The status that the client received. */
  readonly status: number;
}

/** Effects that exchanges need: time, ids, and turns of the event loop. */
export interface ExchangeEffects {
  /** A monotonic clock in milliseconds. */
  readonly now: () => number;
  /** Milliseconds since the epoch. */
  readonly wallClock: () => number;
  readonly makeId: () => string;
  /** Calls back at an interval in milliseconds until the returned function is called. */
  readonly every: (intervalMs: number, callBack: () => void) => () => void;
  /** Waits for a full turn of the event loop, so that other work can run. */
  readonly pause: () => Promise<void>;
}

/** Returns what `make` does; undefined if it throws, and the error goes to `onDefect`. */
export function unlessDefect<Value>(
  make: () => Value,
  onDefect: (error: unknown) => void,
): Value | undefined {
  try {
    return make();
  } catch (error) {
    onDefect(error);
    return undefined;
  }
}

/** Resolves after a time in milliseconds. */
export function pause(every: ExchangeEffects['every'], ms: number): Promise<void> {
  return new Promise((resolve) => {
    const stop = every(ms, () => {
      stop();
      resolve();
    });
  });
}

/** Writes the head of an exchange's response; all responses use it, including the proxy's own errors. */
export class HeadWriter {
  /** The exchange's id in records and in the selector's log. */
  readonly requestId: string;
  /** Names of tools that the client does not know: upstream headers that contain one are omitted. */
  hiddenNames: readonly string[] = [];
  readonly #response: ResponsePlace;

  constructor(response: ResponsePlace, requestId: string) {
    this.#response = response;
    this.requestId = requestId;
  }

  write(status: number, given: string[]): void {
    this.#response.writeHead(status, withoutNames(given, this.hiddenNames));
  }
}

function withoutNames(headers: string[], names: readonly string[]): string[] {
  if (names.length === 0) return headers;
  const hasName = (part: string) => names.some((name) => part.includes(name));
  if (!headers.some(hasName)) return headers;
  return headers.filter((_, at) => ![headers[at - (at % 2)]!, headers[at - (at % 2) + 1]!].some(hasName));
}
