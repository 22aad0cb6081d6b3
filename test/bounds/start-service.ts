import { readFileSync } from 'node:fs';
import { expect, inject } from 'vitest';
import { startProcess } from '../deploy/start-process.ts';
import { descendantsOf } from '../leftovers/process-tree.ts';

export type ServiceName = 'proxy' | 'selector' | 'registry' | 'attach';

/** A service in its own process, with its defaults and the given settings. */
export interface Service {
  readonly url: string;
  /** Peak resident memory of its process tree, in bytes: the sum of the peaks of its processes. */
  readonly peakBytes: () => number;
  /** Its output, including records. */
  readonly output: () => string;
}

const ROOT = new URL('../..', import.meta.url);

/**
 * Starts a service, which is killed when the test ends. Without options of Node by default: the limits must
 * not depend on them.
 */
export async function startService(
  app: ServiceName,
  environment: Readonly<Record<string, string>>,
  flags: readonly string[] = [],
): Promise<Service> {
  const running = startProcess({
    command: [process.execPath, ...flags, `apps/${app}/src/main.ts`],
    environment,
    folder: ROOT.pathname,
  });
  const [, url] = await running.says(/listens on (http:\S+?),?\s/);
  return { url: url!, peakBytes: () => peakOf(running.pid), output: running.output };
}

/** Returns the options of Node with which a service takes itself to be in a container with so much memory, in bytes. */
export function inContainer(memoryBytes: number): readonly string[] {
  return ['--import', `data:text/javascript,process.constrainedMemory=()=>${memoryBytes}`];
}

/** The budget that the limits guarantee, in bytes. */
const MEMORY_LIMIT = 512 * 2 ** 20;

/**
 * Checks in exhaustive mode that a service has kept to the budget: the memory used depends on the machine.
 */
export function expectWithinLimit({ peakBytes }: Service, limitBytes = MEMORY_LIMIT): void {
  if (inject('isExhaustive')) expect(peakBytes()).toBeLessThan(limitBytes);
}

/** Checks by the service's own gauge that it has held no more bytes of bodies than it may. */
export async function expectHeldWithin({ url }: Service, limitBytes: number): Promise<void> {
  const metrics = await (await fetch(new URL('/metrics', url))).text();
  expect(Number(/_held_body_bytes\S* (\d+)/.exec(metrics)![1])).toBeLessThanOrEqual(limitBytes);
}

/** https://man7.org/linux/man-pages/man5/proc_pid_status.5.html */
function peakOf(root: number): number {
  const pids = [root, ...descendantsOf(root).map(({ pid }) => pid)];
  return pids.reduce((sum, pid) => {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return sum + Number(/^VmHWM:\s+(\d+) kB/m.exec(status)![1]) * 1024;
  }, 0);
}
