import { readFileSync } from 'node:fs';

/**
 * Returns the peak memory of a process, in bytes. Linux only:
 * https://man7.org/linux/man-pages/man5/proc_pid_status.5.html
 */
export function readMemory(pid: number): number | undefined {
  try {
    const kibibytes = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return kibibytes === undefined ? undefined : Number(kibibytes) * 1_024;
  } catch {
    return undefined;
  }
}
