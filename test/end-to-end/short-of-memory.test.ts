import { gzipSync } from 'node:zlib';
import { answer, say } from '@winnow/testkit';
import { describe, expect, test } from 'vitest';
import { bodyOf, send, type WireFormat } from './raw-client.ts';
import { recordsOf, startStack } from './start-stack.ts';

const script = [answer([say('All is well.')])];

/** The remaining shared memory and heap. */
const SHORTAGES = [
  ['bodies of other requests', { effects: { memory: 6_000 } }],
  ['no room on the heap', { effects: { heapShare: () => 0.9 } }],
] as const;

describe.each<WireFormat>(['openai', 'anthropic'])('%s: a proxy that is short of memory', (format) => {
  test.each(SHORTAGES)('because of %s forwards the very bytes, and says so', async (_, shortage) => {
    const stack = await startStack({ script, ...shortage });
    const body = bodyOf({ format, url: stack.proxyUrl });
    const text = await (await send({ format, url: stack.proxyUrl }, body)).text();
    expect(text).toMatch('All is well.');
    expect(stack.upstream.requests.map((request) => request.text)).toEqual([body]);
    await recordsOf(stack, 1);
    expect(stack.records).toMatchObject([
      { planReason: 'short_of_memory', outcome: 'answered', status: 200, upstreamCalls: 1 },
    ]);
  });

  test('counts what a body unpacks to, and gives it back when the exchange is over', async () => {
    const stack = await startStack({
      script: [...script, ...script, ...script],
      effects: { memory: 2_800_000 },
    });
    const headers = { 'content-encoding': 'gzip' };
    const post = async (user: string) => {
      const request = { format, url: stack.proxyUrl, user, headers };
      const body = gzipSync(bodyOf(request));
      await (await fetchBytes(request, body)).text();
    };
    for (const user of ['short', 'long '.repeat(50_000), 'short']) await post(user);
    await recordsOf(stack, 3);
    const reasons = stack.records.map(({ planReason }) => planReason);
    expect(reasons).toEqual(['deferred', 'short_of_memory', 'deferred']);
  });
});

test('a large request lets others have their turn between its parts, and a small one takes none', async () => {
  let pauses = 0;
  const pause = async () => {
    pauses += 1;
  };
  const stack = await startStack({ script: [...script, ...script], effects: { pause } });
  const request = { format: 'openai', url: stack.proxyUrl } as const;
  await (await send({ ...request, user: 'short' })).text();
  expect(pauses).toBe(0);
  await (await send({ ...request, user: 'long '.repeat(500_000) })).text();
  // Received; read; planned.
  expect(pauses).toBe(3);
});

function fetchBytes(
  { format, url, headers }: { format: WireFormat; url: string; headers: Record<string, string> },
  body: Buffer,
): Promise<Response> {
  const [path, credential] =
    format === 'openai'
      ? ['/v1/chat/completions', { authorization: 'Bearer key' }]
      : ['/v1/messages', { 'x-api-key': 'key', 'anthropic-version': '2023-06-01' }];
  return fetch(url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...credential, ...headers } as Record<string, string>,
    body: new Uint8Array(body),
  });
}
