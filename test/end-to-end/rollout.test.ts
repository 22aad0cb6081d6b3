import type { RequestListener } from 'node:http';
import type { ExchangeRecord } from '@winnow/core';
import { answer, callTool, createGate, playModel, type ScriptEntry, say, waitFor } from '@winnow/testkit';
import { describe, expect, test } from 'vitest';
import { continueHistory } from './continue-history.ts';
import { answersWith, hangs, REFUSED, selects, startFakeSelector } from './fake-selector.ts';
import { bodyOf, FEW_TOOLS, loadBy, type RawRequest, send, type WireFormat } from './raw-client.ts';
import { recordsOf, type Stack, type StackOptions, startStack } from './start-stack.ts';

const FORMATS: readonly WireFormat[] = ['openai', 'anthropic'];
const SHADOW = { PROXY_ROLLOUT_MODE: 'shadow' };

const TOOLS: readonly (readonly [name: string, description: string])[] = [
  ['mail_send', 'Send an email.'],
  ['mail_search', 'Search the inbox.'],
  ['calendar_create', 'Create an event.'],
  ['file_delete', 'Delete a file.'],
  ['weather_now', 'Current weather.'],
];

/** A query of which `mail_send`, `file_delete` and `weather_now` share one word each with the tools. */
const USER = 'Delete the email about the weather.';

function toolsOf(format: WireFormat, tools = TOOLS): object[] {
  const schema = { type: 'object', properties: {} };
  return tools.map(([name, description]) =>
    format === 'openai'
      ? { type: 'function', function: { name, description, parameters: schema } }
      : { name, description, input_schema: schema },
  );
}

const calls = (...names: readonly string[]): ScriptEntry =>
  answer([say('So be it. '), ...names.map((name) => callTool(name))]);

/** Sends one request with the five tools through a stack, and returns its record. */
async function observed(
  options: StackOptions,
  request: Omit<RawRequest, 'url'>,
): Promise<ExchangeRecord & { stack: Stack }> {
  const stack = await startStack({ isLenient: true, ...options });
  const more = { tools: toolsOf(request.format), ...request.more };
  await (await send({ user: USER, ...request, url: stack.proxyUrl, more })).text();
  await recordsOf(stack, 1);
  return { ...stack.records[0]!, stack };
}

/** The model called a tool, and a search with this outcome would have shown it anyway. */
function expectNothingMissed({ observation, searches }: ExchangeRecord, outcome: string): void {
  expect(searches).toMatchObject([{ outcome, names: [] }]);
  expect(observation).toMatchObject({ status: 'done', called: ['file_delete'], wouldHaveMissed: [] });
}

describe.each(FORMATS)('%s: shadow', (format) => {
  test.each([false, true])(
    'compares the picks with relevance and with the calls (stream: %s)',
    async (isStream) => {
      const selectorUrl = await startFakeSelector(selects('weather_now', 'mail_send', 'calendar_create'));
      const record = await observed(
        {
          script: [calls('file_delete', 'mail_send', 'file_delete')],
          settings: SHADOW,
          selectorUrl,
          delivery: { isGzipped: true, cut: 'bytes' },
        },
        { format, isStream },
      );
      expect(record).toMatchObject({
        arm: 'shadow',
        armReason: 'rollout_shadow',
        planReason: 'deferred',
        status: 200,
        outcome: 'answered',
        upstreamCalls: 1,
        searches: [
          {
            outcome: 'found',
            names: ['weather_now', 'mail_send', 'calendar_create'],
            ms: expect.any(Number),
          },
        ],
        tools: { total: 5, deferred: 5, loaded: 0 },
      });
      expect(record.session).toHaveLength(12);
      expect(record.toolBytes.before).toBeGreaterThan(200);
      expect(record.observation).toEqual({
        status: 'done',
        called: ['file_delete', 'mail_send'],
        wouldHaveMissed: ['file_delete'],
      });
    },
  );

  test('misses nothing when the selector fails, as all tools would be shown', async () => {
    const failures: readonly (readonly [outcome: string, selector: RequestListener])[] = [
      ['api_error', (incoming) => incoming.destroy()],
      ['api_error', answersWith(200, '{"selected')],
      ['empty_selection', selects()],
      ['unknown_selection_names', selects('no_such_tool')],
    ];
    let asked = 0;
    const stack = await startStack({
      script: failures.map(() => calls('file_delete')),
      isLenient: true,
      settings: { ...SHADOW, PROXY_TOOLS_API_TIMEOUT: '20s' },
      selectorUrl: await startFakeSelector((...exchange) => failures[asked++]![1](...exchange)),
    });
    for (const [number, [outcome]] of failures.entries()) {
      await (await send({ format, url: stack.proxyUrl, more: { tools: toolsOf(format) } })).text();
      await recordsOf(stack, number + 1);
      expectNothingMissed(stack.records[number]!, outcome);
    }
  });

  test('misses nothing when the selector hangs', async () => {
    const settings = { ...SHADOW, PROXY_TOOLS_API_TIMEOUT: '50ms' };
    const selectorUrl = await startFakeSelector(hangs);
    const record = await observed({ script: [calls('file_delete')], settings, selectorUrl }, { format });
    expectNothingMissed(record, 'api_timeout');
  });

  test('has nothing to find out where nothing would have been deferred', async () => {
    const search = ['gateway_search_tools', ''] as const;
    const bodies = [
      ['no_function_tools', bodyOf({ format, url: '', more: { tools: [] } })],
      ['few_tools', bodyOf({ format, url: '', more: { tools: toolsOf(format, TOOLS.slice(0, 1)) } })],
      ['name_collision', bodyOf({ format, url: '', more: { tools: toolsOf(format, [...TOOLS, search]) } })],
      ['not_json', '{"model": '],
    ] as const;
    const stack = await startStack({
      script: bodies.map(() => calls()),
      isLenient: true,
      settings: SHADOW,
      selectorUrl: REFUSED,
    });
    for (const [number, [planReason, body]] of bodies.entries()) {
      await (await send({ format, url: stack.proxyUrl }, body)).text();
      await recordsOf(stack, number + 1);
      expect(stack.records[number]).toMatchObject({ planReason, status: 200 });
      expect(stack.records[number]!.observation).toEqual({ status: 'not_applicable' });
    }
  });

  test('judges no call of a tool that the history calls: it would have been loaded', async () => {
    const selectorUrl = await startFakeSelector(selects('mail_send'));
    const stack = await startStack({
      script: [calls('file_delete'), calls('file_delete', 'mail_search')],
      isLenient: true,
      settings: { ...SHADOW, ...loadBy('swap') },
      selectorUrl,
    });
    const ask = (more: object) =>
      send({ format, url: stack.proxyUrl, more: { tools: toolsOf(format), ...more } });
    const first = await (await ask({})).json();
    await (await ask({ messages: continueHistory(format, first) })).text();
    await recordsOf(stack, 2);
    // The deferred tools stay the same, so the selector recognizes them.
    expect(stack.records.map(({ tools: { deferred, loaded } }) => [deferred, loaded])).toEqual([
      [5, 0],
      [5, 1],
    ]);
    expect(stack.records[1]!.observation).toMatchObject({
      called: ['mail_search'],
      wouldHaveMissed: ['mail_search'],
    });
  });

  test('tells nothing of calls when the answer is no good one, or not whole', async () => {
    const stack = await startStack({
      script: [
        { kind: 'error', status: 500, message: 'no' },
        answer([callTool('file_delete'), say('half')], {
          delivery: { truncate: { afterBytes: 99, by: 'end' } },
        }),
      ],
      isLenient: true,
      settings: SHADOW,
      selectorUrl: await startFakeSelector(selects('mail_send')),
    });
    for (const number of [1, 2]) {
      const more = { tools: toolsOf(format) };
      const response = await send({ format, url: stack.proxyUrl, isStream: true, more });
      await response.text().catch(() => '');
      await recordsOf(stack, number);
    }
    for (const { observation, searches } of stack.records) {
      expect(observation!.status).toBe('done');
      expect(searches).toMatchObject([{ names: ['mail_send'] }]);
      expect(observation!.called).toBeUndefined();
      expect(observation!.wouldHaveMissed).toBeUndefined();
    }
  });

  test('finds out about an exchange whose client leaves in the middle', async () => {
    const gate = createGate();
    const stack = await startStack({
      script: [answer([say('first ', waitFor(gate), 'never')])],
      settings: SHADOW,
      selectorUrl: await startFakeSelector(selects(FEW_TOOLS[0]!.name)),
    });
    const leaving = new AbortController();
    const request = { format, url: stack.proxyUrl, isStream: true, signal: leaving.signal };
    const reader = (await send(request)).body!.getReader();
    await reader.read();
    leaving.abort();
    expect(await (await stack.upstream.received(0)).answer.ended).toBe('client-left');
    await recordsOf(stack, 1);
    expect(stack.records).toMatchObject([
      { outcome: 'client_gone', searches: [{ outcome: 'found' }], observation: { status: 'done' } },
    ]);
    expect(stack.records[0]!.observation!.called).toBeUndefined();
  });

  test('passes each piece on before the upstream has sent the next', async () => {
    const gate = createGate();
    const stack = await startStack({
      script: [answer([say('first ', waitFor(gate), 'second')])],
      settings: SHADOW,
    });
    const response = await send({ format, url: stack.proxyUrl, isStream: true });
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    while (!text.includes('first')) text += (await reader.read()).value ?? '';
    expect(text).not.toContain('second');
    gate.open();
    while (!text.includes('second')) text += (await reader.read()).value ?? '';
  });

  test('does not observe what only counts tokens', async () => {
    if (format === 'openai') return;
    const stack = await startStack({ settings: SHADOW, selectorUrl: REFUSED, isLenient: true });
    const { max_tokens: _, stream: __, ...counted } = JSON.parse(bodyOf({ format, url: '' }));
    await fetch(`${stack.proxyUrl}/v1/messages/count_tokens`, {
      method: 'POST',
      body: JSON.stringify(counted),
    });
    await recordsOf(stack, 1);
    expect(stack.records).toMatchObject([{ arm: 'shadow', planReason: 'not_read' }]);
    expect(stack.records[0]!.observation).toBeUndefined();
  });

  test('has nothing of what was said in its record', async () => {
    const secret = 'Xyzzy7Marked';
    const marked = (name: string) => [name, `${secret} about ${name}`] as const;
    const record = await observed(
      {
        script: [answer([say(`${secret} said`), callTool('file_delete', { path: `${secret}.txt` })])],
        settings: SHADOW,
      },
      {
        format,
        user: `${secret} asked for a file`,
        headers: { 'x-marked': secret, 'x-winnow-session': secret, authorization: `Bearer ${secret}` },
        more: {
          tools: toolsOf(
            format,
            TOOLS.map(([name]) => marked(name)),
          ),
          user: secret,
        },
      },
    );
    expect(record.observation).toMatchObject({ status: 'done', called: ['file_delete'] });
    expect(JSON.stringify([record.stack.records, record.stack.events])).not.toContain(secret);
  });
});

describe.each(FORMATS)('%s: dark', (format) => {
  test('asks the selector, and looks at nothing of the response but its tokens', async () => {
    const selectorUrl = await startFakeSelector(selects('weather_now'));
    const settings = { PROXY_ROLLOUT_MODE: 'dark' };
    const record = await observed({ script: [calls('file_delete')], settings, selectorUrl }, { format });
    expect(record).toMatchObject({ arm: 'dark', armReason: 'rollout_dark', planReason: 'deferred' });
    expect(record.observation).toEqual({ status: 'done' });
    expect(record.searches).toEqual([{ outcome: 'found', names: ['weather_now'], ms: expect.any(Number) }]);
    expect(record.usage).toMatchObject([{ outputTokens: 23 }]);
  });
});

describe('the strategy', () => {
  test('tool-search is observed by a search in the proxy itself', async () => {
    const settings = { ...SHADOW, PROXY_PIPES_TOOL_DISCOVERY_STRATEGY: 'tool-search' };
    const record = await observed(
      { script: [calls('calendar_create', 'weather_now')], settings, selectorUrl: REFUSED },
      { format: 'openai' },
    );
    const { called, wouldHaveMissed } = record.observation!;
    const [search] = record.searches;
    expect(search).toMatchObject({ outcome: 'found' });
    expect(search!.names).toEqual(expect.arrayContaining(['mail_send', 'file_delete', 'weather_now']));
    expect([called, wouldHaveMissed]).toEqual([['calendar_create', 'weather_now'], ['calendar_create']]);
    expect([record.called, record.unseen]).toEqual([['calendar_create', 'weather_now'], undefined]);
  });

  test('relevance is observed by what it would have left out: nothing brings it back', async () => {
    const record = await observed(
      {
        script: [calls('mail_send', 'weather_now')],
        settings: {
          ...SHADOW,
          PROXY_PIPES_TOOL_DISCOVERY_STRATEGY: 'relevance',
          PROXY_PIPES_TOOL_DISCOVERY_MIN_TOOLS: '2',
          PROXY_PIPES_TOOL_DISCOVERY_MAX_TOOLS: '2',
        },
        selectorUrl: REFUSED,
      },
      { format: 'openai' },
    );
    expect(record.tools).toMatchObject({ total: 5, deferred: 3 });
    expect(record.observation).toEqual({
      status: 'done',
      called: ['weather_now'],
      wouldHaveMissed: ['weather_now'],
    });
  });

  test.each(['off', 'dark', 'shadow', 'partial', 'full'])(
    'passthrough is off in every mode (%s)',
    async (mode) => {
      const settings = { PROXY_ROLLOUT_MODE: mode, PROXY_PIPES_TOOL_DISCOVERY_STRATEGY: 'passthrough' };
      const record = await observed(
        { script: [calls()], settings, selectorUrl: REFUSED },
        { format: 'openai' },
      );
      expect(record).toMatchObject({ arm: 'off', armReason: 'switched_off', planReason: 'not_read' });
      expect(record.observation).toBeUndefined();
    },
  );
});

test('off writes a record, too, of an exchange that is not read', async () => {
  const settings = { PROXY_ROLLOUT_MODE: 'off' };
  const record = await observed({ script: [calls()], settings, selectorUrl: REFUSED }, { format: 'openai' });
  expect(record).toMatchObject({
    arm: 'off',
    armReason: 'rollout_off',
    planReason: 'not_read',
    status: 200,
    outcome: 'answered',
    upstreamCalls: 1,
    tools: { total: 0 },
  });
  expect(record.totalMs).toBeGreaterThan(0);
});

test('a proxy that stops drops what it is still finding out, and reports it', async () => {
  const stack = await startStack({
    script: [calls()],
    isLenient: true,
    settings: { ...SHADOW, PROXY_TOOLS_API_TIMEOUT: '20s' },
    selectorUrl: await startFakeSelector(hangs),
    effects: { deadline: (ms) => AbortSignal.timeout(ms === 20_000 ? ms : 1) },
  });
  await (await send({ format: 'openai', url: stack.proxyUrl })).text();
  await stack.proxies[0]!.close();
  expect(stack.records).toMatchObject([{ outcome: 'answered', observation: { status: 'dropped' } }]);
});

describe('partial', () => {
  const partial = (percent: string) => ({
    PROXY_ROLLOUT_MODE: 'partial',
    PROXY_ROLLOUT_PERCENT: percent,
    PROXY_PIPES_TOOL_DISCOVERY_STRATEGY: 'tool-search',
  });
  const users = Array.from({ length: 20 }, (_, number) => `Conversation ${number}`);

  /** The users inside the rollout, by the requests that the upstream received. */
  async function insideOf(percent: string, proxies = 1): Promise<readonly Set<string>[]> {
    const stack = await startStack({
      model: playModel({ turns: [] }),
      settings: partial(percent),
      proxies,
      selectorUrl: REFUSED,
    });
    const inside: Set<string>[] = [];
    for (const url of stack.proxyUrls) {
      const before = stack.upstream.requests.length;
      await Promise.all(users.map(async (user) => (await send({ format: 'openai', url, user })).text()));
      const edited = stack.upstream.requests
        .slice(before)
        .filter(({ text }) => text.includes('gateway_search_tools'));
      inside.push(new Set(users.filter((user) => edited.some(({ text }) => text.includes(`"${user}"`)))));
    }
    await recordsOf(stack, users.length * proxies);
    const arms = stack.records.map(({ arm, armReason }) => `${arm} ${armReason}`);
    expect(new Set(arms)).toEqual(new Set(['full inside_percent', 'shadow outside_percent']));
    expect(arms.filter((arm) => arm.startsWith('full'))).toHaveLength(
      inside.flatMap((one) => [...one]).length,
    );
    return inside;
  }

  test('sends a session the same way in every process and after every start, and keeps those in that were in', async () => {
    const [one, other] = await insideOf('50', 2);
    const [restarted] = await insideOf('50');
    const [raised] = await insideOf('80');
    expect(other).toEqual(one);
    expect(restarted).toEqual(one);
    expect([...one!].filter((user) => !raised!.has(user))).toEqual([]);
    // A fair draw of 20 has a deviation of two.
    expect(one!.size).toBeGreaterThan(3);
    expect(one!.size).toBeLessThan(17);
    expect(raised!.size).toBeGreaterThan(one!.size);
  });

  test.each(FORMATS)(
    '%s: sends every turn of a conversation the same way, with its hidden turns',
    async (format) => {
      const wanted = FEW_TOOLS[9]!.name;
      const step = { searchFor: [wanted], thenCall: [{ name: wanted, input: {} }] };
      const stack = await startStack({
        model: playModel({ turns: [{ steps: [step] }] }),
        settings: partial('50'),
        selectorUrl: REFUSED,
      });
      const keys = Array.from({ length: 6 }, (_, number) => `key-${number}`);
      for (const key of keys) {
        const headers = { authorization: key, 'x-api-key': key };
        const first = await (await send({ format, url: stack.proxyUrl, headers })).json();
        const messages = continueHistory(format, first);
        await (await send({ format, url: stack.proxyUrl, headers, more: { messages } })).text();
        messages.push({ role: 'assistant', content: 'Done.' }, { role: 'user', content: 'And now this.' });
        await (await send({ format, url: stack.proxyUrl, headers, more: { messages } })).text();
      }
      await recordsOf(stack, 3 * keys.length);
      const turns = stack.records.map(({ session, arm, hiddenTurnsKnown }) => ({
        session,
        arm,
        hiddenTurnsKnown,
      }));
      const bySession = Map.groupBy(turns, ({ session }) => session);
      expect(bySession.size).toBe(keys.length);
      const histories = [...bySession.values()].map((pair) =>
        pair.map(({ arm, hiddenTurnsKnown }) => `${arm} ${hiddenTurnsKnown}`),
      );
      expect(new Set(histories.map((history) => history.toSorted().join(', ')))).toEqual(
        new Set(['full 0, full 1, full 1', 'shadow 0, shadow 0, shadow 0']),
      );
      expect(stack.upstream.rejected()).toEqual([]);
    },
  );

  test('leaves a request outside that nothing tells apart', async () => {
    const stack = await startStack({
      script: [calls()],
      isLenient: true,
      settings: partial('99.9'),
      selectorUrl: REFUSED,
    });
    const body = bodyOf({ format: 'openai', url: '', more: { messages: [] } });
    await (await send({ format: 'openai', url: stack.proxyUrl }, body)).text();
    await recordsOf(stack, 1);
    expect(stack.records).toMatchObject([
      { arm: 'shadow', armReason: 'no_session', observation: { status: 'done' } },
    ]);
    expect(stack.upstream.requests.map(({ text }) => text)).toEqual([body]);
  });
});

describe.each(FORMATS)('%s: x-winnow-mode', (format) => {
  const ALLOWED = {
    PROXY_ROLLOUT_ALLOW_OVERRIDE: 'true',
    PROXY_PIPES_TOOL_DISCOVERY_STRATEGY: 'tool-search',
  };
  const asked = (mode: string, url: string) => send({ format, url, headers: { 'x-winnow-mode': mode } });

  test.each(['off', 'dark', 'shadow', 'full'] as const)(
    'chooses %s, where requests may choose',
    async (mode) => {
      const stack = await startStack({
        model: playModel({ turns: [] }),
        settings: { ...ALLOWED, PROXY_ROLLOUT_MODE: mode === 'full' ? 'off' : 'full' },
        selectorUrl: REFUSED,
      });
      await (await asked(mode, stack.proxyUrl)).text();
      await recordsOf(stack, 1);
      const [record] = stack.records;
      expect(record).toMatchObject({ arm: mode, armReason: 'overridden' });
      expect(record!.observation?.status).toBe(mode === 'dark' || mode === 'shadow' ? 'done' : undefined);
      const [request] = stack.upstream.requests;
      expect(request!.text.includes('gateway_search_tools')).toBe(mode === 'full');
      expect(request!.headers['x-winnow-mode']).toBeUndefined();
    },
  );

  test('is refused when there is no such mode, in the words of the format', async () => {
    const stack = await startStack({ settings: ALLOWED, selectorUrl: REFUSED });
    const response = await asked('partial', stack.proxyUrl);
    expect(response.status).toBe(400);
    const message = 'The header x-winnow-mode must be one of off, dark, shadow, full.';
    const error = { type: 'invalid_request_error', message };
    expect(await response.json()).toMatchObject(format === 'openai' ? { error } : { type: 'error', error });
    expect(stack.upstream.requests).toEqual([]);
  });

  test('means nothing where requests may not choose', async () => {
    const stack = await startStack({
      model: playModel({ turns: [] }),
      settings: { ...ALLOWED, PROXY_ROLLOUT_ALLOW_OVERRIDE: 'false' },
      selectorUrl: REFUSED,
    });
    expect((await asked('nonsense', stack.proxyUrl)).status).toBe(200);
    await recordsOf(stack, 1);
    expect(stack.records).toMatchObject([{ arm: 'full', armReason: 'rollout_full' }]);
    expect(stack.upstream.requests[0]!.headers['x-winnow-mode']).toBeUndefined();
  });
});
