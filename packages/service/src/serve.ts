import type { RequestListener } from 'node:http';
import type { WriteError } from './api/exchange.ts';
import { refuseHead } from './api/refuse-head.ts';
import { createHttpServer } from './create-http-server.ts';
import type { Drain } from './drain.ts';
import { type RunningService, startServing } from './start-serving.ts';
import type { ServerTls } from './tls/read-server-tls.ts';

/** How a service is reached, and how it stops. Times are in milliseconds. */
export interface ServeSettings {
  readonly host: string;
  /** 0 for any free one. */
  readonly port: number;
  readonly requestTimeoutMs: number;
  readonly keepAliveTimeoutMs: number;
  readonly drainDelayMs: number;
  readonly drainTimeoutMs: number;
}

/** What is served, and with what. */
export interface ServeOptions {
  readonly listener: RequestListener;
  readonly tls: ServerTls | undefined;
  /** Counts each request until its response is over. */
  readonly drain: Drain;
  /** A signal that aborts after so many milliseconds. */
  readonly deadline: (timeoutMs: number) => AbortSignal;
  readonly makeId: () => string;
  /** The form of errors; ours when it is missing. */
  readonly writeError?: WriteError;
  /** Finishes what requests have left behind, while the connections are still open. */
  readonly onDrained?: () => Promise<void>;
  readonly onStopped: () => Promise<void>;
}

/** Listens at `HOST` and `PORT`. Rejects when the address cannot be had; the message names the settings. */
export function serve(settings: ServeSettings, options: ServeOptions): Promise<RunningService> {
  const { listener, tls, drain, deadline, makeId, writeError, onDrained, onStopped } = options;
  return startServing({
    ...settings,
    server: createHttpServer(counted(listener, drain), {
      tls,
      headTimeoutMs: settings.requestTimeoutMs,
      keepAliveMs: settings.keepAliveTimeoutMs,
      refuseHead: (error, socket) => refuseHead(error, socket, { makeId, writeError }),
      // Node would refuse a missing host by itself, without a body; the routes' response has one.
      node: { requireHostHeader: false },
    }),
    drain,
    deadline,
    ...(onDrained && { onDrained }),
    onStopped,
  });
}

function counted(listener: RequestListener, drain: Drain): RequestListener {
  return (incoming, outgoing) => {
    outgoing.once('close', drain.begin());
    listener(incoming, outgoing);
  };
}
