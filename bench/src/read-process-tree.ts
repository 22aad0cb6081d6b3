import { readdirSync, readFileSync } from 'node:fs';

/** What the bench reads of a process in `/proc/PID/stat`: https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html */
export interface ProcessStat {
  readonly pid: number;
  readonly parent: number;
  /** Processor time of all its threads, also of those that have ended, in milliseconds. */
  readonly ownMs: number;
  /** The same of its ended children. */
  readonly childrenMs: number;
}

/** Linux counts in hundredths of a second wherever Node runs. */
const MS_PER_TICK = 10;
const NS_PER_MS = 1_000_000;
const BYTES_PER_KIBIBYTE = 1_024;
/** Places behind the command's name, which stands in brackets and may hold anything, brackets and blanks included. */
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
 * The processor time of a process and its ended children, in milliseconds: to the nanosecond by `/proc/PID/task/TID/schedstat` of its threads, as
 * ticks of 10 ms are long beside a short window, and never less than its ticks, which alone count threads that have ended.
 *
 * Source: https://docs.kernel.org/scheduler/sched-stats.html#proc-pid-schedstat
 */
export function cpuMsOf({ ownMs, childrenMs }: ProcessStat, schedstats: readonly string[]): number {
  const threadsMs = schedstats.reduce((sum, line) => sum + Number(line.split(' ')[0]) / NS_PER_MS, 0);
  return Math.max(ownMs, threadsMs) + childrenMs;
}

/** A process and all its descendants, the process itself first; empty when it is not among them. */
export function treeOf(root: number, processes: readonly ProcessStat[]): ProcessStat[] {
  const tree = processes.filter(({ pid }) => pid === root);
  for (const { pid } of tree) tree.push(...processes.filter(({ parent }) => parent === pid));
  return tree;
}

/** The processor time that a process and all its descendants have used so far, in milliseconds; `undefined` where the system does not say. */
export function readCpuTime(pid: number): number | undefined {
  const tree = readTree(pid);
  if (tree.length === 0) return undefined;
  return tree.reduce((sum, process) => sum + cpuMsOf(process, readSchedstats(process.pid)), 0);
}

/**
 * The most resident memory that a process and its descendants have had so far, in bytes; `undefined` where the system does not say.
 *
 * It adds up the peak of each, which they need not have had at the same time.
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

/** One line of each thread; none where the kernel does not count so finely. */
function readSchedstats(pid: number): string[] {
  const threads = readNames(`/proc/${pid}/task`);
  return threads
    .map((thread) => readText(`/proc/${pid}/task/${thread}/schedstat`))
    .filter((line) => line !== undefined);
}

/** Empty where there is no such folder: not on Linux, or the process has just ended. */
function readNames(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** `undefined` when the process has just ended. */
function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
