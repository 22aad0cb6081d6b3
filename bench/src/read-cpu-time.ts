import { readFileSync } from 'node:fs';

/** Linux counts in hundredths of a second wherever Node runs: https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html */
const MS_PER_TICK = 10;
/** Of the fields behind the command's name, which stands in brackets. */
const FIELDS = { user: 11, system: 12 } as const;

/** The processor time that a process has used so far, in milliseconds; `undefined` where the system does not say. */
export function readCpuTime(pid: number | undefined): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[FIELDS.user]) + Number(fields[FIELDS.system])) * MS_PER_TICK;
  } catch {
    return undefined;
  }
}
