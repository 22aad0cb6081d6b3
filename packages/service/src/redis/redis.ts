import { Cluster, type ClusterOptions, Redis, type RedisOptions } from 'ioredis';
import type { ClientTls } from '../tls.ts';
import type { RedisCommand, RedisLink, RedisLinkListener, RedisReply } from './redis-link.ts';
import type { RedisAddress } from './redis-url.ts';

/** Timeout for making a connection, in milliseconds. No command waits for it. */
const CONNECT_MS = 2_000;

/**
 * Time after which a silent server with pending commands counts as gone, in milliseconds. Bounds the wait of
 * commands.
 */
const SILENCE_MS = 2_000;

/** Timeout for closing a connection, in milliseconds. */
const CLOSE_MS = 500;

/**
 * Idle time before the system probes the other side, in milliseconds; networks drop connections that are idle
 * for minutes.
 */
const KEEP_ALIVE_MS = 30_000;

const FIRST_RETRY_MS = 50;
const LAST_RETRY_MS = 1_000;

/**
 * Retries of commands after a slot has moved, and the wait before each, in milliseconds: the library may have
 * to discover the slot's new node first.
 */
const REDIRECTIONS = 4;
const REDIRECTION_MS = 20;

/** Connects to a Redis and retries without limit. Returns the link at once. */
export function connectRedis(address: RedisAddress, tls: ClientTls, listener: RedisLinkListener): RedisLink {
  const client = address.kind === 'cluster' ? openCluster(address, tls) : openServer(address, tls);
  let isClosed = false;
  const onLost = (error: Error) => {
    if (!isClosed) listener.onLost(error);
  };
  listenTo(client, { onReady: listener.onReady, onLost });
  // Rarely, the library gives up a connection that drops while it is being made, so the link reconnects. A failed
  // attempt is reported like any other loss.
  client.on('end', () => {
    if (!isClosed) setTimeout(() => void client.connect().catch(onLost), LAST_RETRY_MS).unref();
  });
  return {
    get isReady() {
      return client.status === 'ready';
    },
    run: (commands) => settle(() => client.pipeline(toBatch(commands)).exec(), commands),
    runTogether: (commands) => settle(() => client.multi(toBatch(commands)).exec(), commands),
    reconnect: () => client.disconnect(true),
    close: () => {
      isClosed = true;
      client.disconnect();
    },
  };
}

function openServer(address: RedisAddress, tls: ClientTls): Redis {
  const options = { ...commonOptions(address, tls), retryStrategy: retryDelay };
  if (address.kind === 'single') return new Redis({ ...options, ...address.hosts[0]! });
  return new Redis({
    ...options,
    sentinels: [...address.hosts],
    name: address.primaryName,
    ...(address.sentinelUser !== undefined && { sentinelUsername: address.sentinelUser }),
    ...(address.sentinelPassword !== undefined && { sentinelPassword: address.sentinelPassword }),
    ...(address.isTls && { sentinelTLS: { ...tls }, enableTLSForSentinelMode: true }),
    sentinelRetryStrategy: retryDelay,
    // The library asks the Sentinels when it loses the connection, and Sentinels drop connections on a
    // failover within ten seconds. The library's failover detector would be faster, but writes to stderr
    // whenever it cannot reach a Sentinel.
    failoverDetector: false,
    sentinelCommandTimeout: SILENCE_MS,
  });
}

function openCluster(address: RedisAddress, tls: ClientTls): Cluster {
  return new Cluster([...address.hosts], {
    redisOptions: commonOptions(address, tls),
    enableOfflineQueue: false,
    maxRedirections: REDIRECTIONS,
    retryDelayOnMoved: REDIRECTION_MS,
    retryDelayOnTryAgain: REDIRECTION_MS,
    // Other failures are left to the caller.
    retryDelayOnFailover: 0,
    retryDelayOnClusterDown: 0,
    slotsRefreshTimeout: CONNECT_MS,
    clusterRetryStrategy: retryDelay,
    // Certificates are issued for names, so node names must reach TLS unresolved.
    ...(address.isTls && { dnsLookup: passName }),
  });
}

const passName: NonNullable<ClusterOptions['dnsLookup']> = (name, done) => done(null, name);

function commonOptions({ user, password, database, isTls }: RedisAddress, tls: ClientTls) {
  return {
    ...(user !== undefined && { username: user }),
    ...(password !== undefined && { password }),
    ...(isTls && { tls: { ...tls } }),
    db: database,
    // The commands in use have the same replies in both versions, and every Redis-compatible server supports
    // the older one.
    protocol: 2,
    // Commands neither wait for a connection nor move to another one.
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    connectTimeout: CONNECT_MS,
    socketTimeout: SILENCE_MS,
    keepAlive: KEEP_ALIVE_MS,
    disconnectTimeout: CLOSE_MS,
    disableClientInfo: true,
  } as const satisfies RedisOptions;
}

function retryDelay(attempt: number): number {
  return Math.min(FIRST_RETRY_MS * 2 ** Math.min(attempt - 1, 10), LAST_RETRY_MS);
}

function listenTo(client: Redis | Cluster, { onReady, onLost }: RedisLinkListener): void {
  let lastError = new Error('connection closed');
  client.on('error', (error: Error) => {
    lastError = error;
    // While the library asks the Sentinels, there is no connection that could close.
    if (client.status !== 'ready') onLost(error);
  });
  client.on('close', () => onLost(lastError));
  client.on('ready', () => {
    lastError = new Error('connection closed');
    onReady();
  });
  if (client instanceof Redis) guardReplies(client);
  else client.on('+node', guardReplies);
}

/** Internals of the library: its queue of commands that await replies. */
interface Insides {
  commandQueue: { shift(): unknown };
  readonly stream: { destroy(): void };
  flushQueue(...reasons: unknown[]): void;
}

/**
 * Closes a connection on which the server sends more replies than there are commands. The library expects a
 * command for every reply; without one, some replies make it throw an uncaught exception, which would end the
 * process.
 */
function guardReplies(redis: Redis): void {
  const insides = redis as unknown as Insides;
  const unasked = { command: { name: '', args: [], resolve() {}, reject() {} } };
  // The library drains the queue of a lost connection until it is empty, so `shift` must then return
  // undefined.
  let isEmptied = false;
  const flushQueue = insides.flushQueue.bind(redis);
  insides.flushQueue = (...reasons) => {
    isEmptied = true;
    flushQueue(...reasons);
    isEmptied = false;
  };
  redis.on('connect', () => {
    const { commandQueue: waiting, stream } = insides;
    const shift = waiting.shift.bind(waiting);
    waiting.shift = () => {
      const command = shift();
      if (command !== undefined || isEmptied) return command;
      stream.destroy();
      return unasked;
    };
  });
}

function toBatch(commands: readonly RedisCommand[]): (string | number)[][] {
  return commands.map((command) => [...command]);
}

/** Returns the replies in order. If all fail together, each gets the shared error. */
async function settle(
  run: () => Promise<[error: Error | null, result: unknown][] | null>,
  commands: readonly RedisCommand[],
): Promise<RedisReply[]> {
  try {
    const results = await run();
    return commands.map((_, index) => toReply(results?.[index]));
  } catch (error) {
    return commands.map(() => ({ ok: false, error: error as Error }));
  }
}

function toReply(result: [error: Error | null, result: unknown] | undefined): RedisReply {
  if (!Array.isArray(result)) return { ok: false, error: new Error('no reply') };
  const [error, value] = result;
  return error ? { ok: false, error } : { ok: true, value };
}
