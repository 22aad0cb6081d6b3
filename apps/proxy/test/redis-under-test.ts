import { createSecretKey, type KeyObject } from 'node:crypto';
import type { RedisServer } from '@winnow/testkit';
import { onTestFinished } from 'vitest';
import { readConfig, type Settings } from '../src/config/config.ts';
import { type OpenSessions, openSessions } from '../src/sessions/open-sessions.ts';

/** A store over a real server, with its log lines and a clock that the test controls. */
export interface RedisUnderTest extends OpenSessions {
  /** Its log lines, parsed. */
  readonly lines: Record<string, unknown>[];
  /** Advances the store's clock in milliseconds; a failing store is then probed. */
  readonly pass: (ms: number) => void;
  /** Resolves when it has connected. */
  readonly connected: () => Promise<void>;
}

/** The settings of the store. */
export interface RedisTestSettings {
  readonly url: string;
  readonly secret?: string;
  readonly settings?: Readonly<Record<string, string>>;
  /** Returns a signal that aborts after a time in milliseconds; without it, nothing times out. */
  readonly deadline?: (timeoutMs: number) => AbortSignal;
}

/** Opens a store that is closed when the test ends. Its clock stands still. */
export async function openTestRedis({
  url,
  secret = 's',
  settings,
  deadline,
}: RedisTestSettings): Promise<RedisUnderTest> {
  const lines: Record<string, unknown>[] = [];
  const clock = { now: 0, onPass: () => {} };
  const sessions = await openSessions(settingsOf(url, secret, settings), keyOf(secret), {
    now: () => clock.now,
    memory: 2 ** 30,
    wallClock: () => 0,
    deadline: deadline ?? (() => new AbortController().signal),
    every: (_, callBack) => {
      clock.onPass = callBack;
      return () => {
        clock.onPass = () => {};
      };
    },
    writeLog: (line) => lines.push(JSON.parse(line) as Record<string, unknown>),
  });
  onTestFinished(() => sessions.close());
  return {
    ...sessions,
    lines,
    pass: (ms) => {
      clock.now += ms;
      clock.onPass();
    },
    connected: () => until(sessions.isUp),
  };
}

/** Waits for an effect of another process or the network. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 2));
}

/** Shortens the time to live of every key of a server, as time would. */
export async function letTimePass({ ask }: Pick<RedisServer, 'ask'>, ms: number): Promise<void> {
  const keys = [...(await ask('KEYS', '*')).matchAll(/^[^*$\r\n].*$/gm)].map(([key]) => key);
  for (const key of keys) {
    const left = Number((await ask('PTTL', key)).slice(1)) - ms;
    await (left > 0 ? ask('PEXPIRE', key, String(left)) : ask('DEL', key));
  }
}

function settingsOf(url: string, secret: string, settings: RedisTestSettings['settings']): Settings {
  const outcome = readConfig({
    environment: {
      PROXY_SESSIONS_SECRET: secret,
      PROXY_REDIS_URL: url,
      ...settings,
    },
  });
  if (!outcome.ok) throw new Error(outcome.problems.join(' '));
  return outcome.config.settings;
}

function keyOf(secret: string): KeyObject {
  return createSecretKey(Buffer.from(secret));
}
