import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { parseJson } from '@winnow/core';
import { z } from 'zod';
import { AgentCounts, Agents } from '../strategies/agents.ts';
import type { Environment } from './redirect.ts';

/** The size at which a run's file of records is rotated once; older records are then lost. */
export const MAX_RECORD_BYTES = 4 * 1024 * 1024;

/** Number of files that are kept of all runs. */
const KEPT_FILES = 50;

/**
 * Returns the folder for the records of runs.
 *
 * Source: https://specifications.freedesktop.org/basedir-spec/latest.
 */
export function recordsFolder({ XDG_STATE_HOME: state = '' }: Environment, home: string): string {
  return join(isAbsolute(state) ? state : join(home, '.local/state'), 'winnow/runs');
}

/**
 * Makes the folder, which only its user may read, and removes the oldest files. Returns undefined if the folder
 * cannot be used: a run continues without records.
 */
export function prepareFolder(folder: string): string | undefined {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    chmodSync(folder, 0o700);
    const files = readdirSync(folder).map((name) => join(folder, name));
    const newestFirst = files
      .map((path) => ({ path, time: statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
      .sort((one, other) => other.time - one.time);
    for (const { path } of newestFirst.slice(KEPT_FILES)) rmSync(path, { force: true });
    return folder;
  } catch {
    return undefined;
  }
}

/** Returns the name of a run's file. `startMs` is in milliseconds since 1970. */
export function recordsName(startMs: number, processId: number): string {
  return `${new Date(startMs).toISOString().slice(0, 19).replaceAll(':', '-')}-${processId}.jsonl`;
}

/** The file of what runs have learned. */
const LessonsFile = z.object({ secret: z.string().min(32), agents: z.record(z.string(), AgentCounts) });

/**
 * The means of agents, and the secret that their ids are made with, which survive from run to run. Of two runs at the
 * same time, the later one to end is kept. Without a folder, each run begins as a stranger.
 */
export class Lessons {
  readonly secret: string;
  readonly agents: Agents;
  readonly #path: string | undefined;

  constructor(folder: string | undefined) {
    this.#path = folder && join(folder, 'agents.json');
    const { secret, agents } = LessonsFile.safeParse(parseJson(this.#read())).data ?? {
      secret: randomBytes(32).toString('hex'),
      agents: {},
    };
    this.secret = secret;
    this.agents = new Agents({ now: () => performance.now(), counts: agents });
  }

  /** Writes the file; a failure costs only what was learned. */
  keep(): void {
    if (this.#path === undefined) return;
    const draft = `${this.#path}.${process.pid}`;
    try {
      const text = JSON.stringify({ secret: this.secret, agents: this.agents.counts() });
      writeFileSync(draft, text, { mode: 0o600 });
      renameSync(draft, this.#path);
    } catch {
      rmSync(draft, { force: true });
    }
  }

  #read(): string {
    try {
      return this.#path === undefined ? '' : readFileSync(this.#path, 'utf8');
    } catch {
      return '';
    }
  }
}
