import type { RunningProcess } from '../start-process.ts';
import { median, summarizeTimes, type TimeSummary } from '../summarize-times.ts';
import { Connection } from './connection.ts';

/** A program that can be started repeatedly. */
export interface Startable {
  readonly name: string;
  readonly start: () => Promise<RunningProcess>;
}

/** Durations of starts. */
export interface StartTimes {
  readonly name: string;
  /** Time from the start of the process to the end of its first good response, in milliseconds. */
  readonly times: TimeSummary;
  /** Median processor time used until then, in milliseconds; `undefined` if the system does not report it. */
  readonly cpuMs: number | undefined;
}

/**
 * Starts each of them in turn, sends one request, and stops it, for a number of rounds. An uncounted round
 * before them reads files for the first time.
 */
export async function measureStarts(
  startables: readonly Startable[],
  request: Buffer,
  rounds: number,
): Promise<StartTimes[]> {
  const starts = new Map(startables.map(({ name }): [string, Start[]] => [name, []]));
  for (let round = 0; round <= rounds; round += 1) {
    for (const { name, start } of startables) {
      const measured = await measureStart(start, request);
      if (round > 0) starts.get(name)!.push(measured);
    }
  }
  return [...starts].map(([name, measured]) => {
    const cpu = measured.map(({ cpuMs }) => cpuMs).filter((ms) => ms !== undefined);
    return {
      name,
      times: summarizeTimes(measured.map(({ ms }) => ms)),
      cpuMs: cpu.length < measured.length ? undefined : median(cpu),
    };
  });
}

interface Start {
  readonly ms: number;
  readonly cpuMs: number | undefined;
}

async function measureStart(start: Startable['start'], request: Buffer): Promise<Start> {
  const startedAt = performance.now();
  const running = await start();
  try {
    const connection = await Connection.open(running.url);
    await connection.exchange(request);
    const ms = performance.now() - startedAt;
    const cpuMs = running.cpuMs();
    connection.close();
    return { ms, cpuMs };
  } finally {
    await running.stop();
  }
}
