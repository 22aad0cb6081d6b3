import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { OpenConnections } from './open-connections.ts';
import { isTlsServer } from './tls.ts';

/** The server, its address, and its timeouts. Times are in milliseconds. */
export interface ServingOptions {
  readonly server: Server;
  readonly host: string;
  /** The port; 0 for any free one. */
  readonly port: number;
  /** Counts the running requests. */
  readonly drain: Drain;
  /** The time for which new requests are still accepted after `close` is called; none by default. */
  readonly drainDelayMs?: number;
  /** The time that running requests have after that. */
  readonly drainTimeoutMs: number;
  /** Returns a signal that aborts after this many milliseconds. */
  readonly deadline: (timeoutMs: number) => AbortSignal;
  /** Finishes the work that requests left behind, while the connections are still open. */
  readonly onDrained?: () => Promise<void>;
  /** Releases all other resources after the last connection is closed. */
  readonly onStopped: () => Promise<void>;
}

/** A service that listens. */
export interface RunningService {
  /** Its address, such as `http://127.0.0.1:8788`. */
  readonly url: string;
  /**
   * Drains and stops. During the drain delay, new requests are still accepted while `readyz` sends them
   * elsewhere. After it they are refused, running requests may finish within the drain timeout, and every
   * connection is closed. Resolves to whether all requests finished. A second call waits for the first.
   */
  close(): Promise<boolean>;
}

/** Listens. Rejects when the address is not available; the message names the address and the settings. */
export async function startServing(options: ServingOptions): Promise<RunningService> {
  const { server, host } = options;
  const connections = new OpenConnections(server);
  await listen(options);
  const { port } = server.address() as AddressInfo;
  const scheme = isTlsServer(server) ? 'https' : 'http';
  let closed: Promise<boolean> | undefined;
  return {
    url: `${scheme}://${urlHost(host)}:${port}`,
    close: () => {
      closed ??= stop(options, connections);
      return closed;
    },
  };
}

function listen({ server, host, port }: ServingOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      reject(new Error(describeRefusal(`${urlHost(host)}:${port}`, cause.code), { cause }));
    });
    server.listen(port, host, resolve);
  });
}

function describeRefusal(address: string, code: string | undefined): string {
  return code === 'EADDRINUSE'
    ? `${address} is in use by another process. Stop it, or set server.port to another port.`
    : `server.host and server.port must name an address to listen on: ${address} (${code}).`;
}

async function stop(options: ServingOptions, connections: OpenConnections): Promise<boolean> {
  const { server, drain, drainDelayMs = 0, drainTimeoutMs, deadline, onDrained, onStopped } = options;
  const isFinished = await drainRequests({
    drain,
    connections,
    delayMs: drainDelayMs,
    timeoutMs: drainTimeoutMs,
    deadline,
    pause: () => nextTurn(),
  });
  await onDrained?.();
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    connections.destroyAll();
  });
  await onStopped();
  return isFinished;
}

function urlHost(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

/** The parts that draining needs. Times are in milliseconds. */
interface DrainOptions {
  readonly drain: Drain;
  readonly connections: OpenConnections;
  /** The time for which new requests are still accepted. */
  readonly delayMs: number;
  /** The time that running requests have after that. */
  readonly timeoutMs: number;
  /** Returns a signal that aborts after this many milliseconds. */
  readonly deadline: (timeoutMs: number) => AbortSignal;
  /** Waits for one turn of the event loop. */
  readonly pause: () => Promise<unknown>;
}

/** The time that clients have to close their connections, in milliseconds. */
const PARTING_MS = 1_000;

/**
 * Announces the shutdown, refuses requests after the delay, waits for running requests, and closes the
 * connections without a reset. Resolves to whether all requests finished; the others are cut off.
 */
async function drainRequests(options: DrainOptions): Promise<boolean> {
  const { drain, connections, delayMs, timeoutMs, deadline, pause } = options;
  connections.keepNoneAlive();
  if (delayMs > 0) await drain.announce(deadline(delayMs));
  const isFinished = await drain.finish(deadline(timeoutMs));
  if (!isFinished) connections.cutOff();
  await connections.letGo({ deadline: deadline(PARTING_MS), pause });
  return isFinished;
}

/**
 * Counts running requests, so that the shutdown can wait for them, and holds the phase of the shutdown.
 *
 * After `announce`, no new requests are wanted, but they are accepted; after `finish`, they are refused.
 */
export class Drain {
  #open = 0;
  #isDraining = false;
  #isRefusing = false;
  #onIdle: (() => void) | undefined;

  /** The number of running requests. */
  get open(): number {
    return this.#open;
  }

  get isDraining(): boolean {
    return this.#isDraining;
  }

  get isRefusing(): boolean {
    return this.#isRefusing;
  }

  /** Counts one more request, until the returned function is called once. */
  begin(): () => void {
    this.#open++;
    return () => {
      this.#open--;
      if (this.#open === 0) this.#onIdle?.();
    };
  }

  /** Announces the shutdown. Resolves when `delay` aborts; by then, clients should have noticed. */
  async announce(delay: AbortSignal): Promise<void> {
    this.#isDraining = true;
    await aborted(delay);
  }

  /** Waits until no request runs, or until `deadline` aborts. Resolves to whether no request runs. */
  async finish(deadline: AbortSignal): Promise<boolean> {
    this.#isDraining = true;
    this.#isRefusing = true;
    if (this.#open > 0) await Promise.race([aborted(deadline), this.#idle()]);
    return this.#open === 0;
  }

  #idle(): Promise<void> {
    return new Promise((resolve) => {
      this.#onIdle = resolve;
    });
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
