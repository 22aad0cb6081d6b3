import type { NamedProcess } from './fleet.ts';
import { readProcess } from './read-process.ts';
import type { ProcessState } from './report-state.ts';

/** Resources of a service at one time. */
export interface ServiceReading extends ProcessState {
  readonly residentBytes: number;
  readonly openFiles: number;
  /** Processor time used so far, in milliseconds. */
  readonly cpuMs: number;
}

/** Readings of all services, by name. */
export type ServiceReadings = ReadonlyMap<string, ServiceReading>;

/** Reads all services, one after another. */
async function readServices(services: readonly NamedProcess[]): Promise<ServiceReadings> {
  const readings = new Map<string, ServiceReading>();
  for (const { name, process } of services) {
    const { residentBytes = 0, openFiles = 0 } = readProcess(process.pid);
    const state = await process.ask<ProcessState>('state');
    readings.set(name, { ...state, residentBytes, openFiles, cpuMs: process.cpuMs() ?? 0 });
  }
  return readings;
}

/** Maximum time that idle connections may stay open, and the interval between checks. */
const SETTLE_MS = 20_000;
const LOOK_MS = 500;
/** Number of checks in a row without a closed connection. */
const QUIET_LOOKS = 8;

/** Waits until no service closes any more connections, then reads all services. */
export async function settleServices(services: readonly NamedProcess[]): Promise<ServiceReadings> {
  const openFiles = () => services.map(({ process }) => readProcess(process.pid).openFiles).join();
  let before = openFiles();
  let quiet = 0;
  for (let waited = 0; waited < SETTLE_MS && quiet < QUIET_LOOKS; waited += LOOK_MS) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    const now = openFiles();
    quiet = now === before ? quiet + 1 : 0;
    before = now;
  }
  return readServices(services);
}
