import type { NamedProcess } from './fleet.ts';
import { readProcess } from './read-process.ts';
import type { ProcessState } from './report-state.ts';

/** What a service holds at one time. */
export interface ServiceReading extends ProcessState {
  readonly residentBytes: number;
  readonly openFiles: number;
  /** Processor time that it has used until then, in milliseconds. */
  readonly cpuMs: number;
}

/** Readings of all services, by their names. */
export type ServiceReadings = ReadonlyMap<string, ServiceReading>;

/** Reads all services, one after the other. */
export async function readServices(services: readonly NamedProcess[]): Promise<ServiceReadings> {
  const readings = new Map<string, ServiceReading>();
  for (const { name, process } of services) {
    const { residentBytes = 0, openFiles = 0 } = readProcess(process.pid);
    const state = await process.ask<ProcessState>('state');
    readings.set(name, { ...state, residentBytes, openFiles, cpuMs: process.cpuMs() ?? 0 });
  }
  return readings;
}

/** How long idle connections may stay open, and how often to look. */
const SETTLE_MS = 20_000;
const LOOK_MS = 500;
/** Looks in a row in which nothing is closed any more. */
const QUIET_LOOKS = 8;

/** Waits until no service closes anything any more, then reads all of them. */
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
