import { describe, expect, test } from 'vitest';
import { ENCODERS, type Encoding } from './encoders.ts';
import { besides, times } from './load.ts';
import { drip, type PostResponse, post } from './post.ts';
import { sampleCount, sampleOf } from './sample-of.ts';
import {
  expectHeldWithin,
  expectWithinLimit,
  inContainer,
  type Service,
  startService,
} from './start-service.ts';

/** Maximum bytes of bodies in memory, being received or processed. */
const HELD_BYTES = 64 * 2 ** 20;

const PATH = '/v1/tool-discovery/search';
const MEGABYTE = 1_000_000;

function search(tools: string, more = ''): Buffer {
  return Buffer.from(`{"pattern":"open a pull request",${more}"tools":[${tools}]}`);
}

const tool = (name: string, description: string) => JSON.stringify({ name, description });

const SMALL = search(tool('create_pull_request', 'Opens a pull request'));
/** Just below the largest body. */
const LARGE = 8 * MEGABYTE;
const PADDING = 'a '.repeat(LARGE / 2);

/** A new catalogue of tools with some 2,000 characters each. */
function catalogueOf(number: number, bytes: number): Buffer {
  const tools: string[] = [];
  for (let length = 0; length < bytes; length += tools.at(-1)!.length + 1) {
    const words = Array.from({ length: 250 }, (_, at) => `word${(at * tools.length + number) % 9_973}`);
    tools.push(tool(`tool_${number}_${tools.length}`, words.join(' ')));
  }
  return search(tools.join(','));
}

function startSelector(): Promise<Service> {
  const settings = { SELECTOR_SERVER_PORT: '0' };
  return startService('selector', settings, inContainer((HELD_BYTES * 16) / 3));
}

function send({ url }: Service, body: Buffer, headers: Record<string, string> = {}): Promise<PostResponse> {
  return post({ url, path: PATH, body, headers });
}

/** Responses to a client that sent more than fits, or more than the selector reads. */
const REFUSALS = [413, 503];

async function expectBounded(service: Service, load: Promise<PostResponse[]>): Promise<void> {
  const ask = async () => {
    await expectHeldWithin(service, HELD_BYTES);
    return send(service, SMALL);
  };
  expect(await besides(ask, load)).toBeGreaterThan(0);
  const statuses = (await load).map(({ status }) => status);
  for (const status of statuses) expect([200, ...REFUSALS]).toContain(status);
  expect(await send(service, SMALL)).toMatchObject({ status: 200 });
  expectWithinLimit(service);
}

const BOMBS = {
  'a long text in front of the tools': search(tool('one', 'Does one thing.'), `"x":"${PADDING}",`),
  'a tool with a long description': search(tool('one', PADDING)),
  'many small values': search(tool('one', 'Does one thing.'), `"x":[${'1,'.repeat(990_000)}1],`),
  'many tools': search(
    Array.from({ length: 9_500 }, (_, at) => tool(`tool_${at}`, PADDING.slice(0, 700))).join(','),
  ),
} as const;

describe('a selector with 64 MiB for bodies and 32 MiB for catalogues stays below 512 MiB', () => {
  test.each(
    (Object.keys(BOMBS) as (keyof typeof BOMBS)[]).flatMap((what, number) =>
      sampleOf(Object.keys(ENCODERS) as Encoding[], number).map((encoding) => [what, encoding] as const),
    ),
  )('when it gets small bodies that unpack to %s (%s)', async (what, encoding) => {
    const service = await startSelector();
    const body = ENCODERS[encoding](BOMBS[what]);
    const headers = { 'content-encoding': encoding };
    await expectBounded(
      service,
      times(sampleCount(60, 1 / 6), () => send(service, body, headers)),
    );
  });

  test(`when it gets catalogues of 7 MB as they are, ${sampleCount(20)} at once`, async () => {
    const service = await startSelector();
    await expectBounded(
      service,
      times(sampleCount(20), (number) => send(service, catalogueOf(number, 7 * MEGABYTE))),
    );
  });

  test('when it gets many catalogues of 1 MB that it does not know', async () => {
    const service = await startSelector();
    for (let round = 0; round < 3; round++) {
      await expectBounded(
        service,
        times(sampleCount(20), (number) => send(service, catalogueOf(20 * round + number, MEGABYTE))),
      );
    }
  });

  test('when clients stop sending in the middle of large bodies, and another one is served as ever', async () => {
    const service = await startSelector();
    const body = Buffer.alloc(LARGE - 16, ' ');
    const drips = await times(6, () => drip({ url: service.url, path: PATH, body }));
    for (let count = 0; count < 20; count++) {
      expect(await send(service, catalogueOf(count, 100_000))).toMatchObject({ status: 200 });
    }
    for (const { leave } of drips) leave();
    expectWithinLimit(service);
  });
});
