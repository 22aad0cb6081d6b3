import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** A process as the system reports it. */
export interface ProcessState {
  readonly pid: number;
  readonly parent: number;
  readonly command: string;
  /** Ended, and only kept until its parent reads the exit code. */
  readonly isZombie: boolean;
}

/** All descendants of a process. None if the system has no /proc. */
export function descendantsOf(pid: number): readonly ProcessState[] {
  const all = runningProcesses();
  const found: ProcessState[] = [];
  for (let parents = [pid]; parents.length > 0; ) {
    const children = all.filter(({ parent }) => parents.includes(parent));
    found.push(...children);
    parents = children.map((child) => child.pid);
  }
  return found;
}

/** The given processes that are still running, by command. */
export function stillRunning(processes: readonly ProcessState[]): readonly string[] {
  const pids = new Set(runningProcesses().map(({ pid }) => pid));
  return processes.filter(({ pid }) => pids.has(pid)).map(({ command }) => command);
}

function runningProcesses(): ProcessState[] {
  if (!existsSync('/proc/self/stat')) return [];
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => readProcess(Number(name)) ?? [])
    .filter(({ isZombie }) => !isZombie);
}

/**
 * https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html: the second field is the name in parentheses,
 * which may contain parentheses.
 */
function readProcess(pid: number): ProcessState | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
    return { pid, parent: Number(parent), command, isZombie: state === 'Z' };
  } catch {
    // Ended since the folder was read.
    return undefined;
  }
}
