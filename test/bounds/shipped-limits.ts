import { expect, inject } from 'vitest';
import { readComposeFile } from '../deploy/compose-file.ts';
import { times } from './load.ts';
import { type PostOptions, type PostResponse, post } from './post.ts';
import { expectWithinLimit, type Service, type ServiceName, startService } from './start-service.ts';

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

/** Half of the memory, as V8 chooses on 64 bits. */
function heapFlag(limitBytes: number): string {
  return `--max-old-space-size=${limitBytes / 2 ** 21}`;
}

/** Requests at once: a hundred, or enough to end a service that holds what it should not. */
const REQUESTS = inject('isExhaustive') ? 100 : 6;

/** Time limit of one such test, in milliseconds: a hundred requests take up to a minute on an idle machine. */
export const TIMEOUT_MS = inject('isExhaustive') ? 600_000 : 60_000;

/** Returns a text repeated up to a number of bytes. */
export function repeated(text: string, bytes: number): string {
  return text.repeat(Math.floor(bytes / text.length));
}

/** Sends many requests at once. All must be answered, and so must an ordinary one afterwards. */
export async function expectSurvival(
  service: LimitedService,
  hostile: Omit<PostOptions, 'url'>,
  ordinary: () => Promise<PostResponse>,
): Promise<void> {
  const responses = await times(REQUESTS, () => post({ url: service.url, ...hostile }));
  for (const { status } of responses) expect(status).toBeGreaterThanOrEqual(200);
  expect(await ordinary()).toMatchObject({ status: 200 });
  expectWithinLimit(service, service.limitBytes);
}
