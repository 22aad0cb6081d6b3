import { readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { parseJson } from '@winnow/core';
import { changesOf, Learned, NOTHING_LEARNED } from '@winnow/learning';
import type { Settings } from '../config/config.ts';
import { logLine } from '../log/log-line.ts';
import { AppliedLearning } from './applied-learning.ts';
import type { LearningOrder } from './learn-from-files.ts';
import { learnOnThread, recordFiles } from './read-on-thread.ts';

interface LearningEffects {
  /** Calls back at an interval in milliseconds until the returned function is called. */
  readonly every: (intervalMs: number, callBack: () => void) => () => void;
  /** Milliseconds since 1970. */
  readonly wallClock: () => number;
  readonly writeLog: (lines: string) => void;
  /** Learns on another thread. */
  readonly learn?: (order: LearningOrder) => Promise<unknown>;
}

/** Applied learning that is under way. */
interface OpenLearning {
  readonly applied: AppliedLearning;
  /** The state that holds now. */
  readonly current: Learned;
  close(): void;
}

/** Interval of looking at the file, in milliseconds. */
const TICK_MS = 60_000;

/** Least time between two applications, and after an attempt that failed, in milliseconds. */
const DAY_MS = 24 * 3_600_000;
const RETRY_MS = 3_600_000;

/**
 * Opens applied learning; undefined if it is off. The file of learned data is read immediately, and again when
 * it has changed; once a day, one of the proxies that share it learns from its own records and replaces it. New
 * conversations follow the file; running ones keep the tools that they began with.
 */
export function openLearning(settings: Settings, effects: LearningEffects): OpenLearning | undefined {
  if (settings['learning.mode'] === 'off') return undefined;
  const { every, wallClock, writeLog, learn = learnOnThread } = effects;
  const path = settings['learning.file'];
  const applied = new AppliedLearning();
  const say = (event: object) => writeLog(logLine(event, wallClock()));
  let current = NOTHING_LEARNED;
  let problem: string | undefined;
  /** The last attempt, and the time before the next one. The clock may be set back. */
  let tried = { at: 0, waitMs: 0 };
  let isClosed = false;

  const take = (learned: Learned) => {
    for (const change of changesOf(current, learned)) say({ event: 'learning_applied', ...change });
    current = learned;
    applied.use(learned);
  };
  const fail = (reason: string) => {
    if (reason !== problem) say({ event: 'learning_failed', problem: reason, file: path });
    problem = reason;
  };
  /** Takes the file over if it has changed. A file that cannot be used changes nothing. */
  const follow = () => {
    const read = readLearned(path);
    if (!read.ok) fail(read.problem);
    else if (!isDeepStrictEqual(read.learned, current)) take(read.learned);
    return read.ok;
  };
  const apply = async () => {
    const now = wallClock();
    if (isRecent(current, now) || Math.abs(now - tried.at) < tried.waitMs) return;
    tried = { at: now, waitMs: RETRY_MS };
    const learned = Learned.parse(await learn(orderOf(settings, current, now)));
    tried = { at: now, waitMs: DAY_MS };
    // Another proxy may have been faster, and a person may have undone something in the meantime.
    if (isClosed || !follow() || isRecent(current, now)) return;
    if (!isDeepStrictEqual(learned.refused, current.refused)) return;
    if (isDeepStrictEqual(learned.agents, current.agents)) return;
    writeLearned(path, learned);
    take(learned);
    problem = undefined;
  };
  const tick = () => {
    if (!follow()) return;
    apply().catch((error: NodeJS.ErrnoException) => fail(error.code ?? error.name));
  };
  follow();
  const stop = every(TICK_MS, tick);
  return {
    applied,
    get current() {
      return current;
    },
    close() {
      isClosed = true;
      stop();
    },
  };
}

/** Whether less than a day lies between the last application and now. */
function isRecent({ appliedAt }: Learned, now: number): boolean {
  return Math.abs(now - appliedAt) < DAY_MS;
}

function orderOf(settings: Settings, before: Learned, now: number): LearningOrder {
  return {
    files: recordFiles(settings),
    before,
    allow: settings['learning.allow'],
    isGuarding: settings['learning.guard'],
    now,
  };
}

/** The content of the file of applied learning, or the reason why it cannot be used. */
type LearnedReading =
  | { readonly ok: true; readonly learned: Learned }
  | { readonly ok: false; readonly problem: string };

/** Largest file to read, in bytes: far more than learning writes. */
const MAX_BYTES = 16 * 1024 * 1024;

/** Reads the file; one that does not exist says that nothing was learned. Never throws. */
function readLearned(path: string): LearnedReading {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats === undefined) return { ok: true, learned: NOTHING_LEARNED };
    if (stats.size > MAX_BYTES) return { ok: false, problem: 'too_large' };
    const { data } = Learned.safeParse(parseJson(readFileSync(path, 'utf8')));
    return data === undefined ? { ok: false, problem: 'invalid' } : { ok: true, learned: data };
  } catch (error) {
    return { ok: false, problem: (error as NodeJS.ErrnoException).code ?? 'unreadable' };
  }
}

/** Replaces the file as a whole: no reader sees a part of it. Throws if it cannot be written. */
function writeLearned(path: string, learned: Learned): void {
  const written = `${path}.${process.pid}.new`;
  writeFileSync(written, `${JSON.stringify(learned, null, 2)}\n`, { mode: 0o600 });
  renameSync(written, path);
}
