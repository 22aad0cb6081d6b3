import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { FORMATS } from '@winnow/wire';
import { Agent } from 'undici';
import { createListener, type IncomingExchange, refuseUpgrade } from './app.ts';
import type { Config, Settings } from './config.ts';
import { forwardUntouched } from './forward-untouched.ts';
import { handleExchange } from './handle-exchange.ts';
import { LoadModes } from './load-mode.ts';
import { createMetrics } from './metrics.ts';
import type { ExchangeEffects, ProxyContext } from './proxy-context.ts';
import { recordSink } from './record-sink.ts';
import { decideRollout } from './rollout.ts';
import { CircuitBreaker } from './search/circuit-breaker.ts';
import { localSearch } from './search/local.ts';
import { type SelectorOptions, selectorSearch } from './search/selector.ts';
import { MemorySessionStore } from './sessions/memory.ts';
import { PendingWork } from './sessions/pending-work.ts';
import type { SessionStore } from './sessions/session-store.ts';
import { createUpstreams } from './upstream/create-upstreams.ts';
import { createUpstreamClient } from './upstream/upstream-client.ts';

/** What the proxy takes from the world around it. */
export interface ProxyEffects extends ExchangeEffects {
  /** A signal that aborts after so many milliseconds. */
  readonly deadline: (timeoutMs: number) => AbortSignal;
  /** Takes log lines. */
  readonly writeLog: (lines: string) => void;
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

/** How often sessions past their time are looked for, in milliseconds. */
const SWEEP_MS = 300_000;

/** Starts the proxy. Rejects when it cannot listen. */
export async function startProxy(config: Config, effects: ProxyEffects): Promise<RunningProxy> {
  const { settings } = config;
  const upstreamClient = createUpstreamClient();
  const selectorAgent = new Agent({ connections: 64, pipelining: 1 });
  const breaker = new CircuitBreaker({ ...BREAKER, now: effects.now });
  const memory = new MemorySessionStore({
    ttlMs: settings['sessions.ttl'],
    maxBytes: settings['sessions.max_memory'],
    now: effects.now,
  });
  const sessions = effects.sessions ?? memory;
  const drain = new Drain();
  const logDefect = (error: unknown) => effects.writeLog(defectLine(error, effects));
  const metrics = createMetrics({
    breakerState: () => breaker.state,
    sessions: () => memory.size,
    openExchanges: () => drain.open,
  });
  const toLog = recordSink({
    writeLog: effects.writeLog,
    file: settings['records.file'],
    onFileError: logDefect,
  });
  const selector = selectorOptions(config);
  const context: ProxyContext = {
    settings,
    send: upstreamClient.send,
    searches: {
      local: localSearch({ limit: selector.limit, alwaysKeep: selector.alwaysKeep, pause: () => nextTurn() }),
      selector: selectorSearch(selector, { agent: selectorAgent, breaker, deadline: effects.deadline }),
    },
    sessions,
    pendingWork: new PendingWork(),
    loadModes: new LoadModes(settings['pipes.tool_discovery.load_mode']),
    report: (record) => {
      metrics.count(record);
      toLog(record);
    },
    onDefect: logDefect,
    effects,
  };
  const listener = createListener({
    upstreams: createUpstreams(config.upstreams),
    isDraining: () => drain.isDraining,
    collectMetrics: metrics.collect,
    handle: drain.count((exchange: IncomingExchange) => handle(exchange, context)),
    onDefect: logDefect,
  });
  // The models' time is theirs: only the head of a request has a limit, which is Node's.
  const server = createServer({ requestTimeout: 0, keepAliveTimeout: 65_000, noDelay: true }, listener);
  server.on('upgrade', refuseUpgrade);
  await listen(server, settings);
  const stopSweeping = effects.every(SWEEP_MS, () => sessions.sweep());
  const { port } = server.address() as AddressInfo;
  let closed: Promise<boolean> | undefined;
  const close = async () => {
    const isFinished = await drain.finish(effects.deadline(settings['server.drain_timeout']));
    stopSweeping();
    await stop(server);
    await Promise.all([upstreamClient.close(), selectorAgent.destroy()]);
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

/** What no format handles, and everything while nothing is to be altered, is forwarded without being read. */
async function handle(exchange: IncomingExchange, context: ProxyContext): Promise<void> {
  const { incoming, target } = exchange;
  const { settings } = context;
  const isOff =
    settings['pipes.tool_discovery.strategy'] === 'passthrough' || decideRollout(settings).arm === 'off';
  const route = isOff ? undefined : findFormat(incoming.method ?? 'GET', target.clientPath);
  if (route) await handleExchange({ ...exchange, ...route }, context);
  else await forwardUntouched({ ...exchange, send: context.send });
}

function findFormat(method: string, path: string) {
  for (const format of FORMATS) {
    const purpose = format.matchRoute(method, path);
    if (purpose !== undefined) return { format, purpose };
  }
  return undefined;
}

/** Whom to ask: the endpoint of `api`, else the named provider. */
function selectorOptions({ settings, providers }: Config): SelectorOptions {
  const own = settings['pipes.tool_discovery.api.endpoint'];
  const provider = providers[settings['pipes.tool_discovery.provider']];
  const asked =
    own !== '' || !provider
      ? {
          endpoint: own,
          apiKey: settings['pipes.tool_discovery.api.api_key'],
          timeoutMs: settings['pipes.tool_discovery.api.timeout'],
        }
      : { endpoint: provider.endpoint, apiKey: provider.api_key, timeoutMs: provider.timeout };
  return {
    ...asked,
    limit: settings['pipes.tool_discovery.max_search_results'],
    alwaysKeep: settings['pipes.tool_discovery.always_keep'],
    redact: {
      descriptions: settings['pipes.tool_discovery.redact.descriptions'],
      sendDefinition: settings['pipes.tool_discovery.redact.send_definition'],
    },
  };
}

/** A defect as a log line: its name and where it was thrown. Not its message, which may quote what it was given. */
function defectLine(error: unknown, { wallClock }: ProxyEffects): string {
  const time = new Date(wallClock()).toISOString();
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  const at = stack
    .split('\n')
    .filter((line) => line.startsWith('    at '))
    .map((line) => line.trim().slice('at '.length));
  const name = error instanceof Error ? error.name : typeof error;
  return `${JSON.stringify({ time, event: 'defect', error: name, at })}\n`;
}

/** Counts the exchanges that run, so that the end can wait for them. */
class Drain {
  open = 0;
  isDraining = false;
  #onIdle: (() => void) | undefined;

  count<Argument>(run: (argument: Argument) => Promise<void>): (argument: Argument) => Promise<void> {
    return async (argument) => {
      this.open++;
      try {
        await run(argument);
      } finally {
        this.open--;
        if (this.open === 0) this.#onIdle?.();
      }
    };
  }

  /** Waits until no exchange runs, or until `deadline` aborts; gives whether none runs. */
  async finish(deadline: AbortSignal): Promise<boolean> {
    this.isDraining = true;
    if (this.open === 0) return true;
    return new Promise((resolve) => {
      deadline.addEventListener('abort', () => resolve(false), { once: true });
      this.#onIdle = () => resolve(true);
    });
  }
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
