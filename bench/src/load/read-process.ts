import { readdirSync, readFileSync } from 'node:fs';

/** What the system says about a process; `undefined` where it says nothing. */
export interface ProcessFigures {
  readonly residentBytes: number | undefined;
  /** Files, sockets and pipes that it has open. */
  readonly openFiles: number | undefined;
}

const BYTES_PER_KIBIBYTE = 1_024;

/** Reads the figures of a process. Linux only: https://man7.org/linux/man-pages/man5/proc_pid_status.5.html */
export function readProcess(pid: number): ProcessFigures {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const resident = Number(status.match(/^VmRSS:\s+(\d+) kB/m)?.[1]) * BYTES_PER_KIBIBYTE;
    return { residentBytes: resident, openFiles: readdirSync(`/proc/${pid}/fd`).length };
  } catch {
    return { residentBytes: undefined, openFiles: undefined };
  }
}
