import { playModel } from '@winnow/testkit';
import { describe, expect, test } from 'vitest';
import { bodyOf, FEW_TOOLS, send, type WireFormat } from './raw-client.ts';
import { recordsOf, type StackOptions, startStack } from './start-stack.ts';
import { startTap } from './tap.ts';

const FORMATS: readonly WireFormat[] = ['openai', 'anthropic'];
const WANTED = FEW_TOOLS[9]!.name;

/** A model that searches once for a tool and calls it if it can see it. */
const searchesOnce = playModel({
  turns: [{ steps: [{ searchFor: [WANTED], thenCall: [{ name: WANTED, input: {} }] }] }],
});

const OWN = ['x-winnow-request-id', 'x-winnow-rounds', 'x-winnow-tools', 'server-timing'];
const ownHeaders = ({ headers }: Response) =>
  Object.fromEntries(OWN.map((name) => [name, headers.get(name)]));

/** A proxy that reports its exchanges in headers, unless `settings` disable that. */
const startTelling = ({ settings, ...options }: StackOptions = {}) =>
  startStack({
    model: searchesOnce,
    ...options,
    settings: { PROXY_SERVER_RESPONSE_HEADERS: 'true', ...settings },
  });

const namesOf = (timing: string | null) => timing?.split(', ').map((one) => one.split(';')[0]);

describe.each(FORMATS)('%s: the headers of an answer', (format) => {
  test('report searches and tools', async () => {
    const stack = await startTelling();
    const response = await send({ format, url: stack.proxyUrl });
    expect(await response.text()).toContain(WANTED);
    await recordsOf(stack, 1);
    const [record] = stack.records;
    expect(record!.tools.loaded).toBeGreaterThan(0);
    expect(ownHeaders(response)).toEqual({
      'x-winnow-request-id': record!.requestId,
      'x-winnow-rounds': '2',
      'x-winnow-tools': `total=12, kept=0, deferred=12, loaded=${record!.tools.loaded}`,
      'server-timing': expect.stringMatching(/^([a-z]+;dur=\d+\.\d{3}(, |$))+$/),
    });
    expect(namesOf(response.headers.get('server-timing'))).toEqual(
      expect.arrayContaining(['plan', 'search', 'upstream']),
    );
  });

  test('of a stream leave out what is not known when it begins', async () => {
    const stack = await startTelling();
    const response = await send({ format, url: stack.proxyUrl, isStream: true });
    expect(await response.text()).toContain(WANTED);
    await recordsOf(stack, 1);
    expect(ownHeaders(response)).toEqual({
      'x-winnow-request-id': stack.records[0]!.requestId,
      'x-winnow-rounds': null,
      'x-winnow-tools': 'total=12, kept=0, deferred=12',
      'server-timing': expect.stringMatching(/plan;.*upstream;/),
    });
  });

  test('are not there unless they are wanted, nor is anything else of the proxy', async () => {
    const stack = await startStack({ model: searchesOnce });
    const tap = await startTap(stack.proxyUrl);
    await (await send({ format, url: tap.url })).text();
    expect(tap.toClient().toString().toLowerCase()).not.toMatch(/winnow|server-timing/);
  });

  test('keep the upstream’s times next to the proxy’s', async () => {
    const stack = await startTelling({
      script: [
        {
          kind: 'error',
          status: 429,
          message: 'slow down',
          headers: { 'server-timing': 'queue;dur=5', 'x-winnow-rounds': '9' },
        },
      ],
    });
    const response = await send({ format, url: stack.proxyUrl });
    expect(namesOf(response.headers.get('server-timing'))).toEqual(
      expect.arrayContaining(['queue', 'upstream']),
    );
    expect(response.headers.get('x-winnow-rounds')).toBe('1');
  });

  test.each([
    ['an upstream’s error', 429, '1'],
    ['the answer to the original bytes', 200, '2'],
  ])('are on %s', async (_, status, rounds) => {
    const stack = await startTelling(
      status === 429
        ? { script: [{ kind: 'error', status }] }
        : {
            rejects: ({ text }) =>
              text.includes('gateway_search_tools')
                ? { status: 400, type: 'invalid_request_error', message: 'no' }
                : undefined,
          },
    );
    const response = await send({ format, url: stack.proxyUrl });
    expect(response.status).toBe(status);
    expect(response.headers.get('x-winnow-rounds')).toBe(rounds);
    expect(response.headers.get('x-winnow-request-id')).not.toBe(null);
  });

  test.each(['off', 'dark', 'shadow'])('hold what is known with rollout.mode %s', async (mode) => {
    const stack = await startTelling({ settings: { PROXY_ROLLOUT_MODE: mode } });
    const response = await send({ format, url: stack.proxyUrl });
    await response.text();
    await recordsOf(stack, 1);
    expect(response.headers.get('x-winnow-request-id')).toBe(stack.records[0]!.requestId);
    expect(response.headers.get('x-winnow-rounds')).toBe('1');
    expect(response.headers.get('x-winnow-tools')).toBe(null);
    expect(namesOf(response.headers.get('server-timing'))).toEqual(
      mode === 'off' ? ['upstream'] : ['receive', 'plan', 'upstream'],
    );
  });

  test('are on errors of the proxy’s own', async () => {
    const refused = 'http://127.0.0.1:9';
    const stack = await startTelling({
      settings: {
        PROXY_UPSTREAMS_OPENAI_BASE_URL: refused,
        PROXY_UPSTREAMS_ANTHROPIC_BASE_URL: refused,
        PROXY_SERVER_MAX_BODY: '20KiB',
      },
    });
    const unreachable = await send({ format, url: stack.proxyUrl });
    const tooLarge = await send(
      { format, url: stack.proxyUrl },
      bodyOf({ format, url: '', user: 'x'.repeat(30_000) }),
    );
    await recordsOf(stack, 2);
    expect([unreachable.status, tooLarge.status]).toEqual([502, 413]);
    expect(stack.records.map(({ status }) => status)).toEqual([502, 413]);
    expect([unreachable, tooLarge].map(({ headers }) => headers.get('x-winnow-request-id'))).toEqual(
      stack.records.map(({ requestId }) => requestId),
    );
  });

  test('are on what no format handles', async () => {
    const stack = await startTelling();
    const response = await fetch(`${stack.proxyUrl}/v1/models`);
    expect(response.headers.get('x-winnow-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    expect(response.headers.get('x-winnow-tools')).toBe(null);
  });
});
