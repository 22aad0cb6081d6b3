import { readComposeFile } from '../deploy/compose-file.ts';
import { type Service, type ServiceName, startService } from './start-service.ts';

/** A service in the memory that `docker-compose.yml` gives it. */
export interface LimitedService extends Service {
  readonly limitBytes: number;
}

const UNITS: Readonly<Record<string, number>> = { m: 2 ** 20, g: 2 ** 30 };

/**
 * Starts a service with the command of `docker-compose.yml`, and with the heap that Node would give it in its
 * container. It is killed when the test ends.
 */
export async function startInShippedLimit(
  app: ServiceName,
  environment: Readonly<Record<string, string>>,
): Promise<LimitedService> {
  const { services } = readComposeFile({});
  const { mem_limit: limit, command = [] } = services[app === 'proxy' ? 'proxy-1' : app]!;
  const limitBytes = Number.parseInt(limit, 10) * UNITS[limit.at(-1)!]!;
  const flags = command.filter((word) => word.startsWith('--max'));
  const service = await startService(app, environment, [...flags, heapFlag(limitBytes)]);
  return { ...service, limitBytes };
}

/**
 * Half of the memory, up to 4 GiB: `Heap::HeapSizeFromPhysicalMemory` in
 * https://github.com/v8/v8/blob/13.6.233/src/heap/heap.cc
 */
function heapFlag(limitBytes: number): string {
  return `--max-old-space-size=${Math.min(4096, limitBytes / 2 ** 21)}`;
}
