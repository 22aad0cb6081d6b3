import type { KeyObject } from 'node:crypto';
import type { Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Drain, drainRequests, OpenConnections } from '@winnow/service';
import { SILENT_TRACER, type Tracer } from '@winnow/tracing';
import { createListener } from './app.ts';
import { HeadWriter } from './client/head-writer.ts';
import { createHttpServer } from './client/http-server.ts';
import { OpenStreams } from './client/open-streams.ts';
import { RequestMemory } from './client/request-memory.ts';
import type { Config, Settings } from './config.ts';
import { handleRequest } from './handle-request.ts';
import { createMetrics } from './metrics.ts';
import { ObservationThread } from './observe/observation-thread.ts';
import { Observer } from './observe/observer.ts';
import type { ExchangeEffects, ProxyContext } from './proxy-context.ts';
import { defectLine } from './records/defect-line.ts';
import { openRecordSink } from './records/record-sink.ts';
import { createSearches } from './search/create-searches.ts';
import { openSessions } from './sessions/open-sessions.ts';
import { PendingWork } from './sessions/pending-work.ts';
import { sessionSecrets } from './sessions/session-secret.ts';
import type { SessionStore } from './sessions/session-store.ts';
import { LoadModes } from './strategies/load-modes.ts';
import { createUpstreams } from './upstream/create-upstreams.ts';
import { tracedSend } from './upstream/traced-send.ts';
import { createUpstreamClient } from './upstream/upstream-client.ts';

/** What the proxy takes from the world around it. */
export interface ProxyEffects extends ExchangeEffects {
  /** A signal that aborts after so many milliseconds. */
  readonly deadline: (timeoutMs: number) => AbortSignal;
  /** Takes log lines. */
  readonly writeLog: (lines: string) => void;
  /** Log lines that could not be written so far. */
  readonly lostLines: () => number;
  /** How much of the heap that there may be is in use, 0..1. */
  readonly heapShare: () => number;
  /** New at each start; stands in for `sessions.secret` where that is not set. */
  readonly randomSecret: KeyObject;
  /** Begins the spans of exchanges; without one there are none. */
  readonly tracer?: Tracer;
  /** Another session store, for tests of how the proxy lives with its failures. */
  readonly sessions?: SessionStore;
}

/** A proxy that listens. */
export interface RunningProxy {
  /** Where it listens, such as `http://127.0.0.1:8787`. */
  readonly url: string;
  /**
   * Drains and stops: for the drain delay new requests are still answered while `readyz` sends them elsewhere; then they are refused,
   * those that run are finished within the drain time, and every connection is closed. Gives whether all were finished. A second call
   * waits for the first.
   */
  close(): Promise<boolean>;
}

/** How long a client's connection may be idle; longer than most balancers wait, so that none reuses one that is closing. */
const KEEP_ALIVE_MS = 65_000;

/** How long the head of a request may take to arrive, in milliseconds. */
const HEAD_TIMEOUT_MS = 60_000;

/** How long what is found out about the last exchanges may take, in milliseconds. */
const LAST_OBSERVATIONS_MS = 2_000;

/** How long the last records may take to be written, in milliseconds. */
const LAST_RECORDS_MS = 5_000;

/** How often sessions past their time, and work that is stuck, are looked for, in milliseconds. */
const SWEEP_MS = 300_000;

/** Starts the proxy. Rejects when it cannot listen, and when a certificate file is no good; the message says which setting. */
export async function startProxy(config: Config, effects: ProxyEffects): Promise<RunningProxy> {
  const { settings } = config;
  const drain = new Drain();
  const { context, observer, createHead, collectMetrics, sweep, disconnect } = assemble(
    config,
    effects,
    drain,
  );
  const listener = createListener({
    upstreams: createUpstreams(config.upstreams),
    isDraining: () => drain.isDraining,
    isRefusing: () => drain.isRefusing,
    createHead,
    collectMetrics,
    handle: async (exchange) => {
      const end = drain.begin();
      await handleRequest(exchange, context).finally(end);
    },
    onDefect: context.onDefect,
  });
  const server = createHttpServer(listener, { headTimeoutMs: HEAD_TIMEOUT_MS, keepAliveMs: KEEP_ALIVE_MS });
  const connections = new OpenConnections(server);
  await listen(server, settings);
  const stopSweeping = effects.every(SWEEP_MS, sweep);
  const { port } = server.address() as AddressInfo;
  let closed: Promise<boolean> | undefined;
  const close = async () => {
    const isFinished = await drainRequests({
      drain,
      connections,
      delayMs: settings['server.drain_delay'],
      timeoutMs: settings['server.drain_timeout'],
      deadline: effects.deadline,
      pause: () => nextTurn(),
    });
    await observer.close(effects.deadline(LAST_OBSERVATIONS_MS));
    stopSweeping();
    await stop(server, connections);
    await disconnect();
    return isFinished;
  };
  return {
    url: `http://${urlHost(settings['server.host'])}:${port}`,
    close: () => {
      closed ??= close();
      return closed;
    },
  };
}

/** Everything that the exchanges share, and how to let go of it. */
function assemble(config: Config, effects: ProxyEffects, drain: Drain) {
  const { settings } = config;
  const upstreams = createUpstreamClient();
  const { now, deadline } = effects;
  const search = createSearches(config, { now, deadline, pause: () => nextTurn() });
  const secrets = sessionSecrets(settings['sessions.secret'] || effects.randomSecret);
  const sessions = openSessions(settings, secrets.ofValues, effects);
  const onDefect = (error: unknown) => effects.writeLog(defectLine(error, effects.wallClock()));
  const records = openRecordSink(settings, effects);
  const streams = new OpenStreams();
  const metrics = createMetrics({
    breakerState: () => search.breaker.state,
    sessions: sessions.count,
    isSessionStoreUp: sessions.isUp,
    openExchanges: () => drain.open,
    openStreams: () => streams.count,
    droppedRecords: () => ({ file: records.dropped(), stdout: effects.lostLines() }),
  });
  const thread = new ObservationThread({ data: { config, sessionSecret: secrets.ofKeys }, now, onDefect });
  const observer = new Observer({
    thread,
    maxBodyBytes: settings['server.max_body'],
    report: (record) => {
      metrics.count(record);
      records.report(record);
    },
    onDefect,
  });
  const context: ProxyContext = {
    settings,
    send: tracedSend(upstreams.send),
    searches: search.searches,
    sessions: effects.sessions ?? sessions.store,
    sessionSecret: secrets.ofKeys,
    memory: new RequestMemory({
      maxBytes: settings['server.max_held_bodies'],
      heapShare: effects.heapShare,
    }),
    pendingWork: new PendingWork(),
    loadModes: new LoadModes(settings['pipes.tool_discovery.load_mode']),
    watch: (exchange) => observer.watch(exchange),
    report: (record, watch) => observer.report(record, watch),
    onDefect,
    tracer: effects.tracer ?? SILENT_TRACER,
    effects,
  };
  const disconnect = async () => {
    sessions.close();
    await Promise.all([upstreams.close(), search.close()]);
    await records.close(effects.deadline(LAST_RECORDS_MS));
  };
  const createHead = (outgoing: ServerResponse) =>
    new HeadWriter({
      outgoing,
      requestId: effects.makeId(),
      isTelling: settings['server.response_headers'],
      onStream: () => streams.add(outgoing),
      onDefect,
    });
  const sweep = () => {
    context.sessions.sweep();
    thread.sweep();
  };
  return { context, observer, createHead, collectMetrics: metrics.collect, sweep, disconnect };
}

function listen(server: Server, settings: Settings): Promise<void> {
  const { 'server.host': host, 'server.port': port } = settings;
  return new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) =>
      reject(
        new Error(`server.host and server.port must name a free address: ${host}:${port} (${cause.code}).`, {
          cause,
        }),
      ),
    );
    server.listen(port, host, resolve);
  });
}

function stop(server: Server, connections: OpenConnections): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    connections.destroyAll();
  });
}

function urlHost(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}
