import type { KeyObject } from 'node:crypto';
import type { Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createListener, type IncomingExchange } from './app.ts';
import { CircuitBreaker } from './circuit-breaker.ts';
import type { Config, Settings } from './config.ts';
import { defectLine } from './defect-line.ts';
import { Drain } from './drain.ts';
import { handleRequest } from './handle-request.ts';
import { HeadWriter } from './head-writer.ts';
import { createHttpServer } from './http-server.ts';
import { LoadModes } from './load-modes.ts';
import { createMetrics } from './metrics.ts';
import { OpenStreams } from './open-streams.ts';
import type { ExchangeEffects, ProxyContext } from './proxy-context.ts';
import { openRecordSink } from './records/record-sink.ts';
import { RequestMemory } from './request-memory.ts';
import { createSelectorAgent } from './search/create-selector-agent.ts';
import { localSearch } from './search/local.ts';
import { selectorSearch } from './search/selector.ts';
import { selectorOptions } from './search/selector-options.ts';
import { openSessions } from './sessions/open-sessions.ts';
import { PendingWork } from './sessions/pending-work.ts';
import { sessionSecrets } from './sessions/session-secret.ts';
import type { SessionStore } from './sessions/session-store.ts';
import { createUpstreams } from './upstream/create-upstreams.ts';
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
  /** Another session store, for tests of how the proxy lives with its failures. */
  readonly sessions?: SessionStore;
}

/** A proxy that listens. */
export interface RunningProxy {
  /** Where it listens, such as `http://127.0.0.1:8787`. */
  readonly url: string;
  /**
   * Drains and stops: new requests are refused, those that run are finished within the drain time, then every connection is closed.
   * Gives whether all were finished. A second call waits for the first.
   */
  close(): Promise<boolean>;
}

/** Selector failures in a row that open the breaker, and how long it stays open. */
const BREAKER = { failures: 5, openMs: 5_000 } as const;

/** How long a client's connection may be idle; longer than most balancers wait, so that none reuses one that is closing. */
const KEEP_ALIVE_MS = 65_000;

/** How long the head of a request may take to arrive, in milliseconds. */
const HEAD_TIMEOUT_MS = 60_000;

/** How long the last records may take to be written, in milliseconds. */
const LAST_RECORDS_MS = 5_000;

/** How often sessions past their time are looked for, in milliseconds. */
const SWEEP_MS = 300_000;

/** Starts the proxy. Rejects when it cannot listen, and when a certificate file is no good; the message says which setting. */
export async function startProxy(config: Config, effects: ProxyEffects): Promise<RunningProxy> {
  const { settings } = config;
  const drain = new Drain();
  const { context, createHead, collectMetrics, disconnect } = assemble(config, effects, drain);
  const listener = createListener({
    upstreams: createUpstreams(config.upstreams),
    isDraining: () => drain.isDraining,
    createHead,
    collectMetrics,
    handle: drain.count((exchange: IncomingExchange) => handleRequest(exchange, context)),
    onDefect: context.onDefect,
  });
  const server = createHttpServer(listener, { headTimeoutMs: HEAD_TIMEOUT_MS, keepAliveMs: KEEP_ALIVE_MS });
  await listen(server, settings);
  const stopSweeping = effects.every(SWEEP_MS, () => context.sessions.sweep());
  const { port } = server.address() as AddressInfo;
  let closed: Promise<boolean> | undefined;
  const close = async () => {
    const isFinished = await drain.finish(effects.deadline(settings['server.drain_timeout']));
    stopSweeping();
    await stop(server);
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
  const selectorAgent = createSelectorAgent(config);
  const breaker = new CircuitBreaker({ ...BREAKER, now: effects.now });
  const secrets = sessionSecrets(settings['sessions.secret'] || effects.randomSecret);
  const sessions = openSessions(settings, secrets.ofValues, effects);
  const onDefect = (error: unknown) => effects.writeLog(defectLine(error, effects.wallClock()));
  const records = openRecordSink(settings, effects);
  const streams = new OpenStreams();
  const metrics = createMetrics({
    breakerState: () => breaker.state,
    sessions: sessions.count,
    isSessionStoreUp: sessions.isUp,
    openExchanges: () => drain.open,
    openStreams: () => streams.count,
    droppedRecords: () => ({ file: records.dropped(), stdout: effects.lostLines() }),
  });
  const selector = selectorOptions(config);
  const context: ProxyContext = {
    settings,
    send: upstreams.send,
    searches: {
      local: localSearch({ ...selector, pause: () => nextTurn() }),
      selector: selectorSearch(selector, { agent: selectorAgent, breaker, deadline: effects.deadline }),
    },
    sessions: effects.sessions ?? sessions.store,
    sessionSecret: secrets.ofKeys,
    memory: new RequestMemory({
      maxBytes: settings['server.max_held_bodies'],
      heapShare: effects.heapShare,
    }),
    pendingWork: new PendingWork(),
    loadModes: new LoadModes(settings['pipes.tool_discovery.load_mode']),
    report: (record) => {
      metrics.count(record);
      records.report(record);
    },
    onDefect,
    effects,
  };
  const disconnect = async () => {
    sessions.close();
    await Promise.all([upstreams.close(), selectorAgent.destroy()]);
    await records.close(effects.deadline(LAST_RECORDS_MS));
  };
  const createHead = (outgoing: ServerResponse) =>
    new HeadWriter({
      outgoing,
      requestId: effects.makeId(),
      isTelling: settings['server.response_headers'],
      onStream: () => streams.add(outgoing),
    });
  return { context, createHead, collectMetrics: metrics.collect, disconnect };
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

function stop(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

function urlHost(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}
