import { arch, cpus, platform, totalmem } from 'node:os';

/** The machine of a measurement. Figures are comparable on one machine only. */
export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGiB: number;
  readonly node: string;
  readonly platform: string;
}

export function describeMachine(): Machine {
  return {
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: cpus().length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    node: process.version,
    platform: `${platform()} ${arch()}`,
  };
}

/** Returns the machine and the day in one line, for the foot of a table. */
export function machineLine(machine: Machine, date: string): string {
  const { cpu, cores, memoryGiB, node, platform: system } = machine;
  return `${date.slice(0, 10)}, ${cpu}, ${cores} cores, ${memoryGiB} GiB, Node ${node}, ${system}`;
}
