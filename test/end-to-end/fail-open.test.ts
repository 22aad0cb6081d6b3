import type { RequestListener } from 'node:http';
import { playModel } from '@winnow/testkit';
import { describe, expect, test } from 'vitest';
import { answersWith, hangs, REFUSED, startFakeSelector } from './fake-selector.ts';
import { bodyOf, FEW_TOOLS, loadBy, rowsOfModes, send } from './raw-client.ts';
import { recordsOf, startStack } from './start-stack.ts';

const ROWS = rowsOfModes('anthropic');
const WANTED = FEW_TOOLS[9]!.name;

/**
 * A model that searches for a tool and calls it if it can see it. Where a failed search only names the tools, it
 * searches for the exact name next.
 */
const searching = (mode: (typeof ROWS)[number][1]) =>
  playModel({
    turns: [
      {
        steps: [
          {
            searchFor: mode === 'bridge' ? ['anything', WANTED] : [WANTED],
            thenCall: [{ name: WANTED, input: {} }],
          },
        ],
      },
    ],
  });

/** All failures of a selector, with the recorded reason. */
const selectorFailures: readonly [what: string, selector: RequestListener | undefined, reason: string][] = [
  ['refuses connections', undefined, 'api_error'],
  ['hangs', hangs, 'api_timeout'],
  ['answers 401', answersWith(401, '{"error":{"code":"unauthorized","message":"no"}}'), 'api_error'],
  ['answers 413', answersWith(413, '{"error":{"code":"payload_too_large","message":"no"}}'), 'api_error'],
  ['answers 500', answersWith(500, 'oops'), 'api_error'],
  ['answers what is no JSON', answersWith(200, '{"selected_names":["'), 'api_error'],
  ['answers wrong types', answersWith(200, '{"selected_names":"all"}'), 'api_error'],
  ['selects nothing', answersWith(200, '{"selected_names":[]}'), 'empty_selection'],
  ['selects unknown names', answersWith(200, '{"selected_names":["x","y"]}'), 'unknown_selection_names'],
  ['answers without end', answersWith(200, `{"selected_names":["${'x'.repeat(2_000_000)}"]}`), 'api_error'],
];

describe.each(ROWS)('%s, %s: when the selector', (format, mode) => {
  test.each(selectorFailures)('%s, the model can call any tool', async (_, selector, reason) => {
    const selectorUrl = selector ? await startFakeSelector(selector) : REFUSED;
    const stack = await startStack({
      model: searching(mode),
      selectorUrl,
      settings: loadBy(mode),
      // A deadline in the past, so that no test waits for one.
      effects: {
        deadline: () => (reason === 'api_timeout' ? AbortSignal.abort() : new AbortController().signal),
      },
    });
    const body = await (await send({ format, url: stack.proxyUrl })).text();
    expect(body).toMatch(/tool_calls|tool_use/);
    expect(body).toContain(WANTED);
    expect(body).not.toMatch(/gateway_(?:search_tools|call_tool)/);
    expect(stack.upstream.rejected()).toEqual([]);
    await recordsOf(stack, 1);
    expect(stack.records).toMatchObject([
      { outcome: 'answered', status: 200, tools: { loaded: mode === 'bridge' ? 1 : FEW_TOOLS.length } },
    ]);
    const outcomes = stack.records[0]!.searches.map(({ outcome }) => outcome);
    expect(outcomes).toEqual(mode === 'bridge' ? [reason, reason] : [reason]);
  });

  test('has failed five times, it is not asked any more', async () => {
    let asked = 0;
    const selectorUrl = await startFakeSelector((incoming, outgoing) => {
      asked++;
      answersWith(500, '')(incoming, outgoing);
    });
    const stack = await startStack({
      model: searching(mode),
      selectorUrl,
      settings: loadBy(mode),
      effects: { now: () => 0 },
    });
    for (let time = 0; time < 7; time++) {
      expect(await (await send({ format, url: stack.proxyUrl, user: `${time}` })).text()).toContain(WANTED);
    }
    expect(asked).toBe(5);
    await recordsOf(stack, 7);
    const outcomes = stack.records.flatMap(({ searches }) => searches.map(({ outcome }) => outcome));
    expect(outcomes.slice(0, 5)).toEqual(Array(5).fill('api_error'));
    expect(new Set(outcomes.slice(5))).toEqual(new Set(['circuit_open']));
  });
});

describe.each(ROWS)('%s, %s: when the upstream', (format, mode) => {
  test.each([400, 404, 413, 422])(
    'rejects the edited request with %d, the original bytes are sent',
    async (status) => {
      const stack = await startStack({
        model: searching(mode),
        settings: loadBy(mode),
        rejects: ({ text }) =>
          text.includes('gateway_search_tools')
            ? { status, type: 'invalid_request_error', message: 'unknown tool gateway_search_tools' }
            : undefined,
      });
      const body = await (await send({ format, url: stack.proxyUrl })).text();
      expect(body).toContain(WANTED);
      expect(body).not.toContain('gateway_search_tools');
      expect(stack.upstream.requests.map(({ text }) => text)[1]).toBe(bodyOf({ format, url: '' }));
      expect(stack.upstream.requests).toHaveLength(2);
      await recordsOf(stack, 1);
      expect(stack.records).toMatchObject([{ restoredBecause: 'upstream_rejected_edit', status: 200 }]);
    },
  );

  test('rejects the edited request, the original bytes have another idempotency key', async () => {
    const stack = await startStack({
      model: searching(mode),
      settings: loadBy(mode),
      rejects: ({ text }) =>
        text.includes('gateway_search_tools')
          ? { status: 400, type: 'invalid_request_error', message: 'no' }
          : undefined,
    });
    await (await send({ format, url: stack.proxyUrl, headers: { 'idempotency-key': 'once' } })).text();
    expect(stack.upstream.requests.map(({ headers }) => headers['idempotency-key'])).toEqual([
      'once',
      'once-2',
    ]);
  });

  test('speaks of the search tool in an error, the client is notified of an error in general', async () => {
    const stack = await startStack({
      settings: loadBy(mode),
      script: [{ kind: 'error', status: 500, message: 'tools.0: gateway_search_tools is broken' }],
    });
    const response = await send({ format, url: stack.proxyUrl });
    const body = await response.text();
    expect(response.status).toBe(500);
    expect(body).not.toContain('gateway_search_tools');
    expect(JSON.parse(body)).toMatchObject({ error: { message: 'The upstream answered with status 500.' } });
  });

  test('answers 400 in a later round, the original bytes are sent', async () => {
    const status = 400;
    let asked = 0;
    const stack = await startStack({
      settings: loadBy(mode),
      model: (conversation, request) => {
        asked++;
        if (asked === 2) return { kind: 'error', status };
        return searching(mode)(conversation, request);
      },
    });
    const body = await (await send({ format, url: stack.proxyUrl })).text();
    expect(body).toContain(WANTED);
    expect(body).not.toContain('gateway_search_tools');
    expect(stack.upstream.requests[2]!.text).toBe(bodyOf({ format, url: '' }));
    await recordsOf(stack, 1);
    expect(stack.records).toMatchObject([{ restoredBecause: 'later_round_failed', status: 200 }]);
  });

  test('cannot be reached, the client gets 502 in its own format', async () => {
    const stack = await startStack({
      model: searching(mode),
      settings: {
        ...loadBy(mode),
        PROXY_UPSTREAMS_OPENAI_BASE_URL: 'http://127.0.0.1:9',
        PROXY_UPSTREAMS_ANTHROPIC_BASE_URL: 'http://127.0.0.1:9',
      },
    });
    const response = await send({ format, url: stack.proxyUrl });
    expect(response.status).toBe(502);
    const { error } = (await response.json()) as { error: { message: string } };
    expect(error.message).toBe(`The upstream "${format}" does not respond (ECONNREFUSED).`);
    await recordsOf(stack, 1);
    expect(stack.records).toMatchObject([{ outcome: 'failed', status: 502, cause: 'ECONNREFUSED' }]);
    expect(stack.events).toMatchObject([
      { event: 'upstream_unreachable', upstream: format, cause: 'ECONNREFUSED' },
    ]);
  });
});

describe.each(ROWS)('%s, %s: when the session store', (format, mode) => {
  test('throws, every exchange continues', async () => {
    const broken = () => Promise.reject(new Error('the store is gone'));
    const stack = await startStack({
      model: searching(mode),
      settings: loadBy(mode),
      effects: { sessions: { isShared: false, read: broken, add: broken, sweep: () => {} } },
    });
    expect(await (await send({ format, url: stack.proxyUrl })).text()).toContain(WANTED);
    await recordsOf(stack, 1);
    expect(stack.records).toMatchObject([{ outcome: 'answered', sessionErrors: 1 }]);
  });
});

describe.each(ROWS)('%s, %s: a request', (format, mode) => {
  const forwarded: readonly [what: string, body: string, reason: string][] = [
    ['that is no JSON', '{"model": "m", "tools": [', 'not_json'],
    ['that is no object', '[1, 2]', 'unknown_shape'],
    [
      'without tools',
      '{"model":"m","messages":[{"role":"user","content":"hi"}],"max_tokens":1}',
      'no_function_tools',
    ],
    [
      'with a tool of the same name',
      bodyOf({
        format,
        url: '',
        more: {
          tools: [...Array(6).keys()].map((number) => {
            const name = number === 0 ? 'gateway_search_tools' : `tool_${number}`;
            return format === 'openai'
              ? { type: 'function', function: { name, parameters: { type: 'object' } } }
              : { name, input_schema: { type: 'object' } };
          }),
        },
      }),
      'name_collision',
    ],
  ];

  test.each(forwarded)('%s is forwarded byte for byte', async (_, body, reason) => {
    const stack = await startStack({
      isLenient: true,
      settings: loadBy(mode),
      model: playModel({ turns: [] }),
    });
    await (await send({ format, url: stack.proxyUrl }, body)).text();
    expect(stack.upstream.requests.map(({ text }) => text)).toEqual([body]);
    await recordsOf(stack, 1);
    expect(stack.records).toMatchObject([{ planReason: reason }]);
  });

  test('that is too large is answered with 413 in the format of the client', async () => {
    const stack = await startStack({ settings: { ...loadBy(mode), PROXY_SERVER_MAX_BODY: '1KiB' } });
    const response = await send({ format, url: stack.proxyUrl });
    expect(response.status).toBe(413);
    expect(stack.upstream.requests).toEqual([]);
  });
});
