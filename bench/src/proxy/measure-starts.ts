import type { RunningProcess } from '../start-process.ts';
import { median, summarizeTimes, type TimeSummary } from '../summarize-times.ts';
import { Connection } from './connection.ts';

/** Something that can be started again and again. */
export interface Startable {
  readonly name: string;
  readonly start: () => Promise<RunningProcess>;
}

/** What starts take. */
export interface StartTimes {
  readonly name: string;
  /** From the start of the process to the end of its first good response, in milliseconds. */
  readonly times: TimeSummary;
  /** The processor time that it has used until then, the median, in milliseconds; `undefined` where the system does not say. */
  readonly cpuMs: number | undefined;
}

/** Starts each of them in turn, sends one request, and stops it, for some rounds; one more round before them, in which files are read for the first time, is not counted. */
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
