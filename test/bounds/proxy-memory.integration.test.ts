import { zstdCompressSync } from 'node:zlib';
import { DEFER_ANYTHING } from '@winnow/testkit';
import { describe, expect, test } from 'vitest';
import { ENCODERS, type Encoding } from './encoders.ts';
import { besides, times } from './load.ts';
import { drip, type PostResponse, post } from './post.ts';
import { type RawAnswer, SHORT_ANSWER, startRawUpstream } from './raw-upstream.ts';
import { sampleCount, sampleOf } from './sample-of.ts';
import { expectWithinLimit, inContainer, type Service, startService } from './start-service.ts';

const PATH = '/v1/chat/completions';
const MEGABYTE = 1_000_000;

const TOOLS = Array.from({ length: 40 }, (_, number) => ({
  type: 'function',
  function: { name: `tool_${number}`, description: 'Does things.', parameters: { type: 'object' } },
}));

function chat(content: string, more = ''): Buffer {
  const messages = `[{"role":"user","content":"${content}"}]`;
  return Buffer.from(`{"model":"m","messages":${messages},${more}"tools":${JSON.stringify(TOOLS)}}`);
}

const SMALL = chat('What is there to do?');
/** Just below `server.max_body`. */
const LARGE = 45 * MEGABYTE;
/** A member with as many values as Winnow reads. */
const MANY_VALUES = `"x":[${'1,'.repeat(225_000)}1],`;

/**
 * Tools that are unique to the number, each with a few hundred characters and the given number of numeric
 * values.
 */
function withNewTools({
  number,
  tools: count,
  values,
}: Record<'number' | 'tools' | 'values', number>): Buffer {
  const numbers = Array.from({ length: values }, () => number % 10);
  const tools = Array.from({ length: count }, (_, at) => ({
    type: 'function',
    function: {
      name: `tool_${number}_${at}`,
      description: `Does thing ${at} of ${number}, and says how ${(at * 7_919) % 10_007} and ${number * at} went.`,
      parameters: {
        type: 'object',
        properties: {
          path: { type: 'string', description: `Where thing ${at} is looked for.` },
          limit: { type: 'integer', description: 'How many at most.', enum: numbers },
        },
        required: ['path'],
      },
    },
  }));
  const messages = [{ role: 'user', content: `Do thing 7 of ${number}.` }];
  return Buffer.from(JSON.stringify({ model: 'm', messages, tools }));
}

async function startProxy(answer?: () => RawAnswer): Promise<Service> {
  const settings = {
    ...DEFER_ANYTHING,
    PROXY_SERVER_PORT: '0',
    PROXY_RECORDS_FILE: 'none',
    PROXY_PIPES_TOOL_DISCOVERY_STRATEGY: 'tool-search',
    PROXY_UPSTREAMS_OPENAI_BASE_URL: await startRawUpstream(answer),
  };
  return startService('proxy', settings, inContainer(512 * 2 ** 20));
}

function send(
  { url }: Service,
  body: Buffer,
  client: string,
  headers: Record<string, string> = {},
): Promise<PostResponse> {
  return post({ url, path: PATH, body, headers: { ...headers, authorization: `Bearer ${client}` } });
}

/** The records so far: the plan for the tools of each request. */
function planReasons({ output }: Service): string[] {
  return [...output().matchAll(/"planReason":"(\w+)"/g)].map(([, reason]) => reason!);
}

/** Small requests of another client during a load. */
function besidesNeighbour(service: Service, load: Promise<unknown>): Promise<number> {
  return besides(() => send(service, SMALL, 'neighbour'), load);
}

async function expectAllAnswered(service: Service, load: Promise<PostResponse[]>): Promise<void> {
  expect(await besidesNeighbour(service, load)).toBeGreaterThan(0);
  for (const { status } of await load) expect(status).toBe(200);
  expect(await send(service, SMALL, 'neighbour')).toMatchObject({ status: 200 });
  expectWithinLimit(service);
}

describe('a proxy with 96 MiB for bodies and 64 MiB for sessions stays below 512 MiB', () => {
  test.each(
    sampleOf([
      ['zstd', 60],
      ['gzip', 20],
      ['br', 20],
    ] as const).map(([encoding, count]) => [encoding, sampleCount(count, 1 / 6)] as const),
  )('when it gets small %s bodies that unpack to 45 MB, %i at once', async (encoding, count) => {
    const service = await startProxy();
    const body = ENCODERS[encoding](chat('a '.repeat(LARGE / 2)));
    expect(body.length).toBeLessThan(MEGABYTE / 10);
    const headers = { 'content-encoding': encoding };
    await expectAllAnswered(
      service,
      times(count, (number) => send(service, body, `client ${number}`, headers)),
    );
    expect(planReasons(service)).toContain('short_of_memory');
    expect(planReasons(service)).toContain('deferred');
  });

  test('when it gets small bodies that unpack to as many values as are read', async () => {
    const service = await startProxy();
    const body = zstdCompressSync(chat('a'.repeat(10 * MEGABYTE), MANY_VALUES));
    const headers = { 'content-encoding': 'zstd' };
    await expectAllAnswered(
      service,
      times(sampleCount(30), (number) => send(service, body, `client ${number}`, headers)),
    );
    expect(planReasons(service)).toContain('short_of_memory');
  });

  test('when it gets bodies of 45 MB as they are, five at once', async () => {
    const service = await startProxy();
    const body = chat('a '.repeat(LARGE / 2));
    await expectAllAnswered(
      service,
      times(5, (number) => send(service, body, `client ${number}`)),
    );
    expect(planReasons(service)).toContain('short_of_memory');
  });

  test.each([
    ['many tools', 2_500, 0],
    ['few tools of many values', 40, 11_000],
  ])('when it gets lists of 1 MB that it does not know, six at once, of %s', async (_, tools, values) => {
    const service = await startProxy();
    for (let round = 0; round < sampleCount(10, 1 / 5); round++) {
      await expectAllAnswered(
        service,
        times(6, (client) => {
          const body = withNewTools({ number: 6 * round + client, tools, values });
          return send(service, body, `client ${client}`);
        }),
      );
    }
    expect(planReasons(service)).toContain('deferred');
  });

  test('when clients stop sending in the middle of large bodies, and another one is served as ever', async () => {
    const service = await startProxy();
    // Six of them fill the 96 MiB up to less than one body of the victim.
    const body = Buffer.alloc(16_700_000, ' ');
    const drips = await times(6, (number) =>
      drip({ url: service.url, path: PATH, body, headers: { authorization: `Bearer drip ${number}` } }),
    );
    const victims = chat('b '.repeat(MEGABYTE / 4));
    for (let count = 0; count < 20; count++) {
      expect(await send(service, victims, 'victim')).toMatchObject({ status: 200 });
    }
    await expect.poll(() => planReasons(service)).toHaveLength(20);
    expect(planReasons(service)).toEqual(planReasons(service).map(() => 'deferred'));
    for (const { leave } of drips) leave();
    expectWithinLimit(service);
  });

  const longAnswer = Buffer.from(
    SHORT_ANSWER.body.toString().replace('"Done."', `"${'a '.repeat(29 * MEGABYTE)}"`),
  );
  const manyAnswers = Buffer.from(
    SHORT_ANSWER.body.toString().replace(/\}$/, `,"x":[${'[],'.repeat(19 * MEGABYTE)}1]}`),
  );

  test.each<[string, Encoding, Buffer]>([
    ...sampleOf<[string, Encoding, Buffer]>([
      ['a long text', 'gzip', longAnswer],
      ['a long text', 'zstd', longAnswer],
      ['a long text', 'br', longAnswer],
    ]),
    ...sampleOf<[string, Encoding, Buffer]>([
      ['many values', 'zstd', manyAnswers],
      ['many values', 'gzip', manyAnswers],
    ]),
  ])('when an upstream answers small bodies that unpack to %s (%s)', async (_, encoding, whole) => {
    const body = ENCODERS[encoding](whole);
    expect(body.length).toBeLessThan(MEGABYTE / 10);
    // The neighbour's responses are as hostile, and arrive unchanged.
    const service = await startProxy(() => ({ headers: { 'content-encoding': encoding }, body }));
    const load = times(8, (number) => send(service, SMALL, `client ${number}`));
    await besidesNeighbour(service, load);
    for (const response of await load) expect(response).toMatchObject({ status: 200, bytes: body.length });
    expectWithinLimit(service);
  });
});
