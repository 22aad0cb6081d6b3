import type { KeyObject } from 'node:crypto';
import { connectRedis, describeHosts, parseRedisUrl } from '@winnow/redis';
import { CircuitBreaker, readClientTls } from '@winnow/service';
import type { Settings } from '../config/config.ts';
import { logLine } from '../log/log-line.ts';
import { GuardedLink } from './guarded-link.ts';
import { MemorySessionStore } from './memory.ts';
import { RedisSessionStore, storeProbes } from './redis-session-store.ts';
import type { SessionStore } from './session-store.ts';
import { StoreHealth } from './store-health.ts';

/** A session store that is ready for use, and what can be told of it. */
export interface OpenSessions {
  readonly store: SessionStore;
  /** Whether the store works. One in this process always does. */
  readonly isUp: () => boolean;
  /** Sessions that this process holds. */
  readonly count: () => number;
  /** Lets go of connections. */
  readonly close: () => void;
}

/** What a store takes from the world around it. */
export interface SessionEffects {
  /** Milliseconds that only ever grow. */
  readonly now: () => number;
  /** Milliseconds since the epoch. */
  readonly wallClock: () => number;
  /** A signal that aborts after so many milliseconds. */
  readonly deadline: (timeoutMs: number) => AbortSignal;
  /** Calls back every so many milliseconds until the function that it gives is called. */
  readonly every: (intervalMs: number, callBack: () => void) => () => void;
  /** Takes log lines. */
  readonly writeLog: (lines: string) => void;
}

/**
 * Round trips in a row without a reply that make the store be left alone, and how long no request tries it again. That is longer than
 * it takes to try it in the background, which begins that time anew: so none of them waits to find out.
 */
const BREAKER = { failures: 3, openMs: 5_000 } as const;

/** How often a store that fails is tried, so that it is used again without a request having to wait for it, in milliseconds. */
const PROBE_MS = 1_000;

/**
 * Opens the store that is configured. Never waits for a connection: that is made in the background.
 *
 * @throws an error that names the setting when a file of certificates cannot be used.
 */
export async function openSessions(
  settings: Settings,
  secret: KeyObject,
  effects: SessionEffects,
): Promise<OpenSessions> {
  return settings['sessions.store'] === 'redis'
    ? openRedis(settings, secret, effects)
    : openMemory(settings, effects);
}

function openMemory(settings: Settings, { now }: SessionEffects): OpenSessions {
  const store = new MemorySessionStore({
    ttlMs: settings['sessions.ttl'],
    lastingTtlMs: settings['sessions.alias_ttl'],
    maxBytes: settings['sessions.max_memory'],
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
  const tls = readClientTls('redis', {
    ca_file: settings['redis.ca_file'],
    cert_file: settings['redis.cert_file'],
    key_file: settings['redis.key_file'],
  });
  const connection = await connectRedis(parsed.address, tls, {
    onReady: () => link.onReady(),
    onLost: (error) => link.onLost(error),
  });
  const keyPrefix = settings['redis.key_prefix'];
  const link = new GuardedLink({
    link: connection,
    breaker: new CircuitBreaker({ ...BREAKER, now: effects.now }),
    health,
    timeoutMs: settings['redis.timeout'],
    deadline: effects.deadline,
    now: effects.now,
    probes: storeProbes(keyPrefix),
  });
  const ttlMs = Math.ceil(settings['sessions.ttl']);
  const lastingTtlMs = Math.ceil(settings['sessions.alias_ttl']);
  const store = new RedisSessionStore({ link, secret, keyPrefix, ttlMs, lastingTtlMs });
  const stopProbing = effects.every(PROBE_MS, () => void link.probe());
  const close = () => {
    stopProbing();
    connection.close();
  };
  return { store, isUp: () => health.isUp, count: () => 0, close };
}

/** Health that writes one line when the store goes and one when it is back. */
function loggedHealth(hosts: string, { now, wallClock, writeLog }: SessionEffects): StoreHealth {
  const say = (event: object) => writeLog(logLine({ ...event, store: hosts }, wallClock()));
  return new StoreHealth(
    {
      onDown: (part, problem) => say({ event: 'session_store_down', part, problem }),
      onUp: () => say({ event: 'session_store_up' }),
    },
    now,
  );
}
