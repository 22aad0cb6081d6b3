import { readdirSync, readFileSync } from 'node:fs';

/** The system's figures for a process; `undefined` if unavailable. */
export interface ProcessFigures {
  readonly residentBytes: number | undefined;
  /** Number of open files, sockets and pipes. */
  readonly openFiles: number | undefined;
}

const BYTES_PER_KIBIBYTE = 1_024;

/**
 * Reads the figures of a process. Linux only: https://man7.org/linux/man-pages/man5/proc_pid_status.5.html
 */
export function readProcess(pid: number): ProcessFigures {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const resident = Number(status.match(/^VmRSS:\s+(\d+) kB/m)?.[1]) * BYTES_PER_KIBIBYTE;
    return { residentBytes: resident, openFiles: readdirSync(`/proc/${pid}/fd`).length };
  } catch {
    return { residentBytes: undefined, openFiles: undefined };
  }
}
