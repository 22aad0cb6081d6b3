import { arch, cpus, platform, totalmem } from 'node:os';

/** What a measurement ran on. Figures compare on one machine only. */
export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGiB: number;
  readonly node: string;
  readonly platform: string;
}

/** This machine. */
export function describeMachine(): Machine {
  return {
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: cpus().length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    node: process.version,
    platform: `${platform()} ${arch()}`,
  };
}

/** The machine and the day in one line, as it stands under a table. */
export function machineLine(machine: Machine, date: string): string {
  const { cpu, cores, memoryGiB, node, platform: system } = machine;
  return `${date.slice(0, 10)}, ${cpu}, ${cores} cores, ${memoryGiB} GiB, Node ${node}, ${system}`;
}
