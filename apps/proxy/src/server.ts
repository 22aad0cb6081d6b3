import type { KeyObject } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ToolCosts } from '@winnow/core';
import {
  Drain,
  heldBytesOf,
  type Reloaded,
  type RunningService,
  readServerTls,
  replaceCertificates,
  SILENT_TRACER,
  startServing,
  TokenSet,
  type Tracer,
} from '@winnow/service';
import { type Config, type Settings, tlsFilesOf } from './config/config.ts';
import { mergeConfig } from './config/merge-config.ts';
import { readPrices } from './config/read-prices.ts';
import { type AccessRules, ClientAccess, type GuardOf, requestGuard } from './edge/client-access.ts';
import { createListener, type SecretPaths } from './edge/create-listener.ts';
import { createHttpServer } from './edge/http-server.ts';
import { passWebSockets } from './edge/pass-web-socket.ts';
import { type ExchangeEffects, HeadWriter } from './exchange/exchange.ts';
import { handleRequest, type RequestContext } from './exchange/handle-request.ts';
import { RefusedEdits } from './exchange/loop-progress.ts';
import { StallWatch } from './exchange/receive-request.ts';
import { watchUnreadTools } from './exchange/unread-tools.ts';
import { defectLine, logLine, minuteLog } from './log/log.ts';
import { createMetrics } from './metrics.ts';
import { livePage } from './page/live-page.ts';
import { openLiveFeed } from './page/open-page.ts';
import { openRecordSink } from './records/record-sink.ts';
import { createSearches } from './search/create-searches.ts';
import type { EmbedderEvent } from './search/open-local-meaning.ts';
import { openSelectorWatch } from './search/open-selector-watch.ts';
import { openSessions, sessionSecrets } from './sessions/open-sessions.ts';
import { RequestMemory } from './sessions/request-memory.ts';
import { PendingWork, type SessionStore } from './sessions/session-store.ts';
import { Agents } from './strategies/agents.ts';
import { LoadModes } from './strategies/load-modes.ts';
import { type Policy, profilesOf } from './strategies/policy.ts';
import { PreloadIndexes } from './strategies/preload.ts';
import { createUpstreams } from './upstream/choose-upstream.ts';
import type { ResponsePlace } from './upstream/client.ts';
import { tracedSend, watchedSend } from './upstream/send-upstream.ts';
import { signedSend } from './upstream/signing.ts';
import { credentialChain, failureLog } from './upstream/upstream-auth.ts';
import { createUpstreamClient } from './upstream/upstream-client.ts';
import { VERSION } from './version.ts';

/** Effects that the proxy needs. */
export interface ProxyEffects extends ExchangeEffects {
  /** Returns a signal that aborts after a time in milliseconds. */
  readonly deadline: (timeoutMs: number) => AbortSignal;
  /** Writes log lines. */
  readonly writeLog: (lines: string) => void;
  /** Returns the number of log lines lost so far. */
  readonly lostLines: () => number;
  /** Memory of the container, or else of the machine, in bytes. */
  readonly memory: number;
  /** Returns the used share of the largest possible heap, 0..1. */
  readonly heapShare: () => number;
  /** A new secret at each start, used if `sessions.secret` is not set. */
  readonly randomSecret: KeyObject;
  /** Begins the spans of exchanges; none exist without it. */
  readonly tracer?: Tracer;
  /** Another session store, for tests of its failures. */
  readonly sessions?: SessionStore;
  /** Agents of which something is known; none by default. */
  readonly agents?: Agents;
  /** The only paths that lead to an upstream; by default, every path does. */
  readonly secretPaths?: SecretPaths;
  /** The folder to search for a local model's libraries, for tests; Node's own rules apply if missing. */
  readonly librariesFrom?: string;
}

/**
 * Time that a client's connection may be idle, in milliseconds: longer than most load balancers wait, so that
 * none reuses a closing connection.
 */
const KEEP_ALIVE_MS = 65_000;

/** Time limit for the head of a request, in milliseconds. */
const HEAD_TIMEOUT_MS = 60_000;

/** Time that a client may pause within a body, in milliseconds; the same as for the head. */
const BODY_IDLE_MS = 60_000;

/** Time limit for writing the last records, in milliseconds. */
const LAST_RECORDS_MS = 5_000;

/** Interval of the check for expired sessions, in milliseconds. */
const SWEEP_MS = 300_000;

/**
 * Delay of the process metrics after the start, in milliseconds, so that the first requests need not wait for
 * them.
 */
const PROCESS_METRICS_MS = 1_000;

/** A proxy that listens. */
export interface RunningProxy extends RunningService {
  /**
   * Applies the changeable settings from the next request on, and renewed certificates. Running requests keep
   * their settings. If anything is refused, nothing changes.
   */
  reload(read: Config): Reloaded;
}

/**
 * Starts the proxy. Rejects if it cannot listen or a certificate file is invalid; the message names the
 * setting.
 */
export async function startProxy(config: Config, effects: ProxyEffects): Promise<RunningProxy> {
  const { settings } = config;
  const tls = readServerTls(tlsFilesOf(settings));
  const drain = new Drain();
  const {
    context,
    openWebSocket,
    live,
    stopObserving,
    createHead,
    metrics,
    states,
    toolCosts,
    sweep,
    watchSelector,
    disconnect,
  } = await assemble(config, effects, drain);
  const access = new ClientAccess(accessRules(settings));
  const aws = { ...config.aws, chain: credentialChain(failureLog(effects)) };
  const pause = () => nextTurn();
  const parts = { pause, indexes: new PreloadIndexes(pause) };
  /** Everything that follows from settings that may change. */
  const settle = (held: Config, base: Omit<RequestContext, keyof Policy>) => ({
    config: held,
    contexts: profilesOf(held, parts, (policy): RequestContext => ({ ...base, ...policy })),
    upstreams: createUpstreams(held.upstreams, (value) => access.isOwnToken(value), aws),
    guardOf: requestGuard(held.settings),
    pageTokens: new TokenSet([held.settings['page.token']].filter((token) => token !== '')),
    tls,
  });
  let current = settle(config, context);
  metrics.useUpstreams(current.upstreams);
  const guardOf: GuardOf = (upstream) => current.guardOf(upstream);
  const shared = {
    ...{ upstreams: () => current.upstreams, access, guardOf, onDefect: context.onDefect },
    ...{ isRefusing: () => drain.isRefusing, wallClock: effects.wallClock },
    secretPaths: effects.secretPaths,
  };
  const listener = createListener({
    ...shared,
    isDraining: () => drain.isDraining,
    createHead,
    collectMetrics: metrics.collect,
    page:
      live &&
      livePage({
        feed: live,
        access: {
          clients: access,
          get pageTokens() {
            return current.pageTokens;
          },
        },
        states,
        toolCosts,
        about: {
          version: VERSION,
          strategy: settings['tools.strategy'],
          get mode() {
            return current.config.settings['rollout.mode'];
          },
        },
        withContent: settings['records.query_text'],
        isDraining: () => drain.isDraining,
        every: effects.every,
        pause: effects.pause,
      }),
    begin: () => drain.begin(),
    handle: (exchange) => handleRequest(exchange, current.contexts),
  });
  let stopSweeping = () => {};
  const webSockets = passWebSockets({ ...shared, openWebSocket, begin: () => drain.begin() });
  const server = createHttpServer(listener, {
    headTimeoutMs: HEAD_TIMEOUT_MS,
    keepAliveMs: KEEP_ALIVE_MS,
    tls,
    onUpgrade: webSockets.onUpgrade,
  });
  const service = await startServing({
    server,
    host: settings['server.host'],
    port: settings['server.port'],
    drain,
    drainDelayMs: settings['server.drain_delay'],
    drainTimeoutMs: settings['server.drain_timeout'],
    deadline: effects.deadline,
    onDrained: async () => {
      stopObserving();
      stopSweeping();
      // Observations that were given up still tell their records.
      await pause();
    },
    onStopped: disconnect,
  });
  stopSweeping = effects.every(SWEEP_MS, sweep);
  watchSelector();
  const stopWaiting = effects.every(PROCESS_METRICS_MS, () => {
    stopWaiting();
    metrics.watchProcess();
  });
  return {
    ...service,
    reload: (read) => {
      const merged = mergeConfig(current.config, read);
      if (!merged.ok) return merged;
      const { config: held, changed, needsRestart } = merged;
      const certificates = replaceCertificates(server, current.tls, tlsFilesOf(held.settings));
      if (!certificates.ok) return certificates;
      access.use(accessRules(held.settings));
      current = { ...settle(held, context), tls: certificates.tls };
      webSockets.endRefused();
      metrics.useUpstreams(current.upstreams);
      return { ok: true, changed: [...changed, ...certificates.changed], needsRestart };
    },
  };
}

function accessRules(settings: Settings): AccessRules {
  return {
    tokens: settings['server.tokens'],
    allowedHosts: settings['server.allowed_hosts'],
    allowedOrigins: settings['server.allowed_origins'],
  };
}

/** Creates everything that exchanges share, with functions to release it. */
async function assemble(config: Config, effects: ProxyEffects, drain: Drain) {
  const { settings } = config;
  const upstreams = createUpstreamClient();
  const { now, deadline } = effects;
  const search = createSearches(config, {
    ...{ now, deadline, pause: effects.pause, librariesFrom: effects.librariesFrom },
    onEmbedder: (event) => tellOfEmbedder(event),
  });
  const secrets = sessionSecrets(settings['sessions.secret'] || effects.randomSecret);
  const sessions = await openSessions(settings, secrets.ofValues, effects);
  const onDefect = (error: unknown) => effects.writeLog(defectLine(error, effects.wallClock()));
  const log = minuteLog(effects);
  const prices = readPrices(settings['page.prices_file']);
  const live = openLiveFeed(settings, prices, effects.wallClock());
  const agents = effects.agents ?? new Agents(effects);
  const records = openRecordSink(settings, effects);
  const toolCosts = new ToolCosts();
  const tellOfEmbedder = (event: EmbedderEvent) => {
    effects.writeLog(logLine(event, effects.wallClock()));
  };
  const metrics = createMetrics(prices, {
    breakerState: () => search.selectorHealth.state,
    meanings: () => search.meaning,
    isSessionStoreUp: sessions.isUp,
    openExchanges: () => drain.open,
    toolCosts: () => toolCosts.result(),
    droppedRecords: () => ({ file: records.dropped(), stdout: effects.lostLines() }),
  });
  const selectorWatch = openSelectorWatch(config, search.probeSelector, effects);
  const takeRecord: RequestContext['takeRecord'] = (record, list) => {
    if (list !== undefined && !toolCosts.knows(list.id)) toolCosts.addList(list.id, JSON.parse(list.json));
    toolCosts.add(record);
    metrics.count(record);
    const line = records.takeRecord(record, list);
    selectorWatch.take(record);
    agents.learn(record);
    live?.takeRecord(record, line);
  };
  const stopping = new AbortController();
  const memory = new RequestMemory({
    maxBytes: heldBytesOf(effects.memory),
    heapShare: effects.heapShare,
  });
  const context: Omit<RequestContext, keyof Policy> = {
    send: signedSend(tracedSend(watchedSend(upstreams.send, effects), now), {
      wallClock: effects.wallClock,
      limitBytes: settings['server.max_body'],
      openHold: () => memory.open('signing'),
    }),
    searches: search.searches,
    sessions: effects.sessions ?? sessions.store,
    sessionSecret: secrets.ofKeys,
    memory,
    stalls: new StallWatch(BODY_IDLE_MS, effects.every),
    pendingWork: new PendingWork(),
    agents,
    prices,
    loadModes: new LoadModes({
      now,
      say: (notice) => effects.writeLog(logLine(notice, effects.wallClock())),
    }),
    refusedEdits: new RefusedEdits(),
    stopping: stopping.signal,
    watchUnread: (exchange, body) =>
      watchUnreadTools(exchange, body, { count: metrics.countUnreadTools, log }),
    takeRecord,
    live,
    onDefect,
    tracer: effects.tracer ?? SILENT_TRACER,
    effects,
  };
  const disconnect = async () => {
    context.stalls.close();
    selectorWatch.close();
    sessions.close();
    await Promise.all([upstreams.close(), search.close()]);
    await records.close(effects.deadline(LAST_RECORDS_MS));
  };
  const createHead = (response: ResponsePlace) => new HeadWriter(response, effects.makeId());
  const sweep = () => context.sessions.sweep();
  const watchSelector = () => selectorWatch.start();
  const states = () => ({
    breaker: selectorWatch.isAsked ? search.selectorHealth.state : undefined,
    sessionStore: settings['redis.url'] === '' ? ('memory' as const) : ('redis' as const),
    isSessionStoreUp: sessions.isUp(),
    openExchanges: drain.open,
  });
  const { openWebSocket } = upstreams;
  return {
    context,
    openWebSocket,
    live,
    stopObserving: () => stopping.abort(),
    createHead,
    metrics,
    states,
    toolCosts: () => toolCosts.result(),
    sweep,
    watchSelector,
    disconnect,
  };
}
