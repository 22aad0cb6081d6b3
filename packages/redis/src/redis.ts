import type { ClientTls } from '@winnow/service';
import { Cluster, type ClusterOptions, Redis, type RedisOptions } from 'ioredis';
import type { RedisCommand, RedisLink, RedisLinkListener, RedisReply } from './redis-link.ts';
import type { RedisAddress } from './redis-url.ts';

/** How long a connection may take to be made, in milliseconds. Nobody waits for it. */
const CONNECT_MS = 2_000;

/** A server that has commands to answer and says nothing for so long is gone, whatever TCP believes. Bounds what waits for it. */
const SILENCE_MS = 2_000;

/** How long a connection that is being closed may take, in milliseconds. */
const CLOSE_MS = 500;

/** How long nothing is said before the system asks whether the other side is there; networks forget connections that are silent for minutes. */
const KEEP_ALIVE_MS = 30_000;

const FIRST_RETRY_MS = 50;
const LAST_RETRY_MS = 1_000;

/**
 * How often commands are sent after a slot that has moved, and the wait before each, in milliseconds: the slot may be with a node that the
 * library has to get to know first.
 */
const REDIRECTIONS = 4;
const REDIRECTION_MS = 20;

/** Connects to a Redis, and goes on trying for as long as it takes. Gives the link at once. */
export function connectRedis(address: RedisAddress, tls: ClientTls, listener: RedisLinkListener): RedisLink {
  const client = address.kind === 'cluster' ? openCluster(address, tls) : openServer(address, tls);
  let isClosed = false;
  const onLost = (error: Error) => {
    if (!isClosed) listener.onLost(error);
  };
  listenTo(client, { onReady: listener.onReady, onLost });
  // Rarely, a connection that is dropped while it is being made is given up for good; a failure to make it is told as any other.
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
    // Sentinels are asked when the connection is lost, and on a failover they see to that, at the latest ten seconds after it. The
    // library's own watch over them would notice sooner, but writes to stderr whenever one of them cannot be reached.
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
    // Any other failure is for whoever asked.
    retryDelayOnFailover: 0,
    retryDelayOnClusterDown: 0,
    slotsRefreshTimeout: CONNECT_MS,
    clusterRetryStrategy: retryDelay,
    // A certificate is for a name, so names of nodes must not be turned into addresses before TLS has seen them.
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
    // The commands that are used answer alike in both, and the older one is spoken by everything that calls itself a Redis.
    protocol: 2,
    // Nothing waits for a connection, and nothing is sent again over another one.
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
    // While Sentinels are asked there is no connection yet that could close.
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

/** What the library keeps of commands that wait for their replies, as far as it matters here. */
interface Insides {
  commandQueue: { shift(): unknown };
  readonly stream: { destroy(): void };
  flushQueue(...reasons: unknown[]): void;
}

/**
 * Closes a connection on which the server says more than it was asked. The library counts on a command for every reply; without one, some
 * replies make it throw where nobody can catch it, and the process would end.
 */
function guardReplies(redis: Redis): void {
  const insides = redis as unknown as Insides;
  const nobody = { command: { name: '', args: [], resolve() {}, reject() {} } };
  // The library empties the queue of a lost connection until nothing comes out of it: then nothing must come out of it.
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
      return nobody;
    };
  });
}

function toBatch(commands: readonly RedisCommand[]): (string | number)[][] {
  return commands.map((command) => [...command]);
}

/** The replies in order. When all fail together, each has the error that they share. */
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
