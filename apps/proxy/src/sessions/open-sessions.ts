import { createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';
import { CircuitBreaker, connectRedis, describeHosts, parseRedisUrl, readClientTls } from '@winnow/service';
import type { Settings } from '../config/config.ts';
import { logLine } from '../log/log.ts';
import { GuardedLink, StoreHealth } from './guarded-link.ts';
import { KeyedHash } from './keyed-hash.ts';
import { MemorySessionStore } from './memory.ts';
import { RedisSessionStore, storeProbes } from './redis-session-store.ts';
import type { SessionStore } from './session-store.ts';

/** A session store that is ready for use, with its state. */
export interface OpenSessions {
  readonly store: SessionStore;
  /** Whether the store works; always true for the store in this process. */
  readonly isUp: () => boolean;
  /** Number of sessions that this process holds. */
  readonly count: () => number;
  /** Closes the connections. */
  readonly close: () => void;
}

/** Start of every key in Redis. */
const KEY_PREFIX = 'winnow:';

/** Time for which a conversation is remembered after its last request, in milliseconds: one hour. */
export const SESSION_MS = 3_600_000;

/** Time for which providers keep a stored response, and its id is remembered, in milliseconds: 30 days. */
export const STORED_RESPONSE_MS = 30 * 86_400_000;

/** Effects that a store needs. */
interface SessionEffects {
  /** A monotonic clock in milliseconds. */
  readonly now: () => number;
  /** Memory of the container, or else of the machine, in bytes: an eighth of it holds conversations, at most 256 MiB. */
  readonly memory: number;
  /** Milliseconds since the epoch. */
  readonly wallClock: () => number;
  /** Returns a signal that aborts after a time in milliseconds. */
  readonly deadline: (timeoutMs: number) => AbortSignal;
  /** Calls back at an interval in milliseconds until the returned function is called. */
  readonly every: (intervalMs: number, callBack: () => void) => () => void;
  /** Writes log lines. */
  readonly writeLog: (lines: string) => void;
}

/** Timeout of a command, in milliseconds; the exchange then continues without its session. */
const TIMEOUT_MS = 100;

/**
 * Consecutive round trips without a reply that open the breaker, and how long it stays open. Background
 * probes are more frequent and restart that time, so no request waits to test the store.
 */
const BREAKER = { failures: 3, openMs: 5_000 } as const;

/**
 * Interval of probes of a failing store, in milliseconds, so that it returns to use without delaying a
 * request.
 */
const PROBE_MS = 1_000;

/**
 * Opens the configured store. Never waits for a connection, which is made in the background.
 *
 * @throws an error that names the setting if a certificate file cannot be used.
 */
export async function openSessions(
  settings: Settings,
  secret: KeyObject,
  effects: SessionEffects,
): Promise<OpenSessions> {
  return settings['redis.url'] !== '' ? openRedis(settings, secret, effects) : openMemory(effects);
}

function openMemory({ now, memory }: SessionEffects): OpenSessions {
  const store = new MemorySessionStore({
    ttlMs: SESSION_MS,
    lastingTtlMs: STORED_RESPONSE_MS,
    maxBytes: Math.min(256 * 2 ** 20, Math.floor(memory / 8)),
    now,
  });
  return { store, isUp: () => true, count: () => store.size, close: () => {} };
}

async function openRedis(
  settings: Settings,
  secret: KeyObject,
  effects: SessionEffects,
): Promise<OpenSessions> {
  const parsed = parseRedisUrl(settings['redis.url']);
  if (!parsed.ok) throw new Error(`redis.url ${parsed.problem}.`);
  const health = loggedHealth(describeHosts(parsed.address.hosts), effects);
  const tls = readClientTls(settings['client.tls_folder']);
  const connection = await connectRedis(parsed.address, tls, {
    onReady: () => link.onReady(),
    onLost: (error) => link.onLost(error),
  });
  const link = new GuardedLink({
    link: connection,
    breaker: new CircuitBreaker({ ...BREAKER, now: effects.now }),
    health,
    timeoutMs: TIMEOUT_MS,
    deadline: effects.deadline,
    now: effects.now,
    probes: storeProbes(KEY_PREFIX),
  });
  const store = new RedisSessionStore({
    ...{ link, secret, ttlMs: SESSION_MS },
    keyPrefix: KEY_PREFIX,
    lastingTtlMs: STORED_RESPONSE_MS,
  });
  const stopProbing = effects.every(PROBE_MS, () => void link.probe());
  const close = () => {
    stopProbing();
    connection.close();
  };
  return { store, isUp: () => health.isUp, count: () => 0, close };
}

/** Creates a health state that logs one line when the store fails and one when it works again. */
function loggedHealth(hosts: string, { now, wallClock, writeLog }: SessionEffects): StoreHealth {
  const say = (event: object) => writeLog(logLine({ ...event, store: hosts }, wallClock()));
  return new StoreHealth(
    {
      onDown: (part, problem) => say({ level: 'warn', event: 'session_store_down', part, problem }),
      onUp: () => say({ level: 'info', event: 'session_store_up' }),
    },
    now,
  );
}

/** The keys for everything about sessions. */
interface SessionSecrets {
  /** Keeps session keys from revealing their sources. */
  readonly ofKeys: KeyedHash;
  /** Seals values that are stored where others may write. */
  readonly ofValues: KeyObject;
}

const KEY_BYTES = 32;

/** Derives the keys from a secret: the same in every process, and a separate one for each use. */
export function sessionSecrets(secret: string | KeyObject): SessionSecrets {
  const ofValues = createSecretKey(
    Buffer.from(hkdfSync('sha256', secret, '', 'winnow session values', KEY_BYTES)),
  );
  return { ofKeys: new KeyedHash(secret, 'session keys'), ofValues };
}
