import { readdirSync, readFileSync } from 'node:fs';

/**
 * The fields of `/proc/PID/stat` that the bench uses:
 * https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html
 */
export interface ProcessStat {
  readonly pid: number;
  readonly parent: number;
  /** Processor time of all its threads, including ended ones, in milliseconds. */
  readonly ownMs: number;
  /** Processor time of its ended children. */
  readonly childrenMs: number;
}

/** Linux counts in hundredths of a second on every platform that Node supports. */
const MS_PER_TICK = 10;
const NS_PER_MS = 1_000_000;
const BYTES_PER_KIBIBYTE = 1_024;
/**
 * Field positions after the command's name, which is in brackets and may contain anything, brackets and
 * blanks included.
 */
const FIELDS = { parent: 1, user: 11, system: 12, childrenUser: 13, childrenSystem: 14 } as const;

/** Reads one line of `/proc/PID/stat`. */
export function parseStat(line: string): ProcessStat {
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
  const ms = (field: number) => Number(fields[field]) * MS_PER_TICK;
  return {
    pid: Number.parseInt(line, 10),
    parent: Number(fields[FIELDS.parent]),
    ownMs: ms(FIELDS.user) + ms(FIELDS.system),
    childrenMs: ms(FIELDS.childrenUser) + ms(FIELDS.childrenSystem),
  };
}

/**
 * Returns the processor time of a process and its ended children, in milliseconds. Uses
 * `/proc/PID/task/TID/schedstat` of its threads, exact to the nanosecond, because ticks of 10 ms are long
 * compared with a short window. Never less than the ticks, because only these count ended threads.
 *
 * Source: https://docs.kernel.org/scheduler/sched-stats.html#proc-pid-schedstat
 */
export function cpuMsOf({ ownMs, childrenMs }: ProcessStat, schedstats: readonly string[]): number {
  const threadsMs = schedstats.reduce((sum, line) => sum + Number(line.split(' ')[0]) / NS_PER_MS, 0);
  return Math.max(ownMs, threadsMs) + childrenMs;
}

/** Returns a process and all its descendants, the process itself first; empty if it has ended. */
export function treeOf(root: number, processes: readonly ProcessStat[]): ProcessStat[] {
  const tree = processes.filter(({ pid }) => pid === root);
  for (const { pid } of tree) tree.push(...processes.filter(({ parent }) => parent === pid));
  return tree;
}

/**
 * Returns the processor time that a process and all its descendants have used so far, in milliseconds;
 * `undefined` if the system does not report it.
 */
export function readCpuTime(pid: number): number | undefined {
  const tree = readTree(pid);
  if (tree.length === 0) return undefined;
  return tree.reduce((sum, process) => sum + cpuMsOf(process, readSchedstats(process.pid)), 0);
}

/**
 * Returns the peak resident memory of a process and its descendants, in bytes; `undefined` if the system does
 * not report it.
 *
 * The sum of their peaks, which need not have occurred at the same time.
 */
export function readPeakMemory(pid: number): number | undefined {
  const peaks = readTree(pid).map((process) => {
    const status = readText(`/proc/${process.pid}/status`) ?? '';
    return Number(status.match(/^VmHWM:\s+(\d+) kB/m)?.[1] ?? 0) * BYTES_PER_KIBIBYTE;
  });
  return peaks.length === 0 ? undefined : peaks.reduce((sum, peak) => sum + peak, 0);
}

function readTree(root: number): ProcessStat[] {
  const pids = readNames('/proc').filter((name) => /^\d+$/.test(name));
  const lines = pids.map((pid) => readText(`/proc/${pid}/stat`)).filter((line) => line !== undefined);
  return treeOf(root, lines.map(parseStat));
}

/** Reads one line for each thread; none if the kernel does not count so finely. */
function readSchedstats(pid: number): string[] {
  const threads = readNames(`/proc/${pid}/task`);
  return threads
    .map((thread) => readText(`/proc/${pid}/task/${thread}/schedstat`))
    .filter((line) => line !== undefined);
}

/** Empty if there is no such folder: not on Linux, or the process has just ended. */
function readNames(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** `undefined` if the process has just ended. */
function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
