import { describe, expect, inject, test } from 'vitest';
import { ENCODERS, type Encoding } from './encoders.ts';
import { besides, times } from './load.ts';
import { drip, type PostResponse, post } from './post.ts';
import { sampleOf } from './sample-of.ts';
import {
  expectHeldWithin,
  expectWithinLimit,
  inContainer,
  type Service,
  startService,
} from './start-service.ts';

/** Maximum bytes of bodies in memory, being received or processed. */
const HELD_BYTES = 96 * 2 ** 20;

const PATH = '/v1/registry/tools';
const SEARCH_PATH = '/v1/registry/search';
const MEGABYTE = 1_000_000;

/** Just below the largest body. */
const LARGE = 16 * MEGABYTE;

function registration(tools: string, more = ''): Buffer {
  return Buffer.from(`{${more}"tools":[${tools}]}`);
}

const tool = (name: string, description: string) =>
  JSON.stringify({
    tool: { name, description, inputSchema: { type: 'object' } },
    backend: { kind: 'mcp', server: 'here' },
  });

/** Each takes some tenths of a second. */
const REQUESTS = inject('isExhaustive') ? 60 : 8;
const TIMEOUT_MS = inject('isExhaustive') ? 600_000 : 60_000;

const SEARCH = Buffer.from('{"query":"open a pull request"}');

function startRegistry(): Promise<Service> {
  const settings = { REGISTRY_SERVER_PORT: '0', REGISTRY_SQLITE_FILE: ':memory:' };
  return startService('registry', settings, inContainer((HELD_BYTES * 16) / 3));
}

function send({ url }: Service, body: Buffer, headers: Record<string, string> = {}): Promise<PostResponse> {
  return post({ url, path: PATH, method: 'PUT', body, headers });
}

const search = ({ url }: Service) => post({ url, path: SEARCH_PATH, body: SEARCH });

/** Responses to a registration that is invalid or too large. */
const REFUSALS = [400, 413, 422, 503];

async function expectBounded(service: Service, load: Promise<PostResponse[]>): Promise<void> {
  const ask = async () => {
    await expectHeldWithin(service, HELD_BYTES);
    return search(service);
  };
  expect(await besides(ask, load)).toBeGreaterThan(0);
  const statuses = (await load).map(({ status }) => status);
  for (const status of statuses) expect([200, ...REFUSALS]).toContain(status);
  expect(await search(service)).toMatchObject({ status: 200 });
  expectWithinLimit(service);
}

const PADDING = 'a '.repeat(LARGE / 2 - 1_000);

const BOMBS = {
  'a long text': registration(tool('one', 'Does one thing.'), `"x":"${PADDING}",`),
  'a tool with a long description': registration(tool('one', PADDING)),
  'many small values': registration(tool('one', 'Does one thing.'), `"x":[${'1,'.repeat(240_000)}1],`),
  'as many empty objects as are read': registration(
    tool('one', 'Does one thing.'),
    `"x":[${'{},'.repeat(120_000)}1],`,
  ),
  'many tools': registration(
    Array.from({ length: 1_000 }, (_, at) => tool(`tool_${at}`, PADDING.slice(0, 15_000))).join(','),
  ),
} as const;

describe('a registry with 96 MiB for bodies stays below 512 MiB', () => {
  test.each<[keyof typeof BOMBS, Encoding]>([
    ...sampleOf<[keyof typeof BOMBS, Encoding]>([
      ['a long text', 'zstd'],
      ['a long text', 'gzip'],
      ['a long text', 'br'],
    ]),
    ['a tool with a long description', 'br'],
    ['many small values', 'zstd'],
    ['as many empty objects as are read', 'gzip'],
    ['many tools', 'gzip'],
  ])('when it gets small bodies that unpack to %s (%s)', { timeout: TIMEOUT_MS }, async (what, encoding) => {
    const service = await startRegistry();
    const body = ENCODERS[encoding](BOMBS[what]);
    const headers = { 'content-encoding': encoding };
    await expectBounded(
      service,
      times(REQUESTS, () => send(service, body, headers)),
    );
  });

  test('when it gets bodies of 16 MB as they are, ten at once', async () => {
    const service = await startRegistry();
    await expectBounded(
      service,
      times(10, () => send(service, BOMBS['a long text'])),
    );
  });

  test('when clients stop sending in the middle of large bodies, and another one is served as ever', async () => {
    const service = await startRegistry();
    const body = Buffer.alloc(LARGE - 16, ' ');
    const drips = await times(6, () => drip({ url: service.url, path: PATH, method: 'PUT', body }));
    for (let count = 0; count < 20; count++) {
      const own = registration(tool(`tool_${count}`, 'Does one thing.'));
      expect(await send(service, own)).toMatchObject({ status: 200 });
    }
    for (const { leave } of drips) leave();
    expectWithinLimit(service);
  });
});
