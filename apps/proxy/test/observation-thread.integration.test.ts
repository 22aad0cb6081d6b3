import { createSecretKey } from 'node:crypto';
import { DEFER_ANYTHING } from '@winnow/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readConfig } from '../src/config/config.ts';
import type { ObservationOrder } from '../src/observe/observation-order.ts';
import { ObservationThread } from '../src/observe/observation-thread.ts';

const ODD = new URL('./odd-thread.ts', import.meta.url);

/** A thread with a clock that the test controls. */
function startThread(program?: URL, settings: Readonly<Record<string, string>> = DEFER_ANYTHING) {
  const clock = { ms: 0 };
  const defects: unknown[] = [];
  const outcome = readConfig({
    environment: { ...settings, PROXY_PIPES_TOOL_DISCOVERY_STRATEGY: 'tool-search' },
  });
  if (!outcome.ok) throw new Error(outcome.problems.join());
  const thread = new ObservationThread({
    data: { config: outcome.config, sessionSecret: createSecretKey(Buffer.from('secret')) },
    now: () => clock.ms,
    onDefect: (error) => defects.push(error),
    ...(program && { program }),
  });
  onTestFinished(() => thread.close());
  return { thread, clock, defects };
}

const orderOf = (text: string): ObservationOrder => ({
  arm: 'shadow',
  requestId: 'request',
  trace: {},
  format: 'openai-chat',
  purpose: 'answer',
  address: { path: '/v1/chat/completions', query: '' },
  origin: {
    upstream: 'openai',
    headers: ['authorization', 'Bearer key'],
    parameters: [],
    tenantHeaders: [],
    remoteAddress: '127.0.0.1',
  },
  profiled: { upstream: 'openai', agent: undefined, token: undefined },
  request: {
    pieces: [Buffer.from(text.slice(0, 2)), Buffer.from(text.slice(2))],
    contentEncoding: undefined,
  },
  response: undefined,
});

describe('ObservationThread', () => {
  it('observes with the configuration, and transfers the response instead of copying it', async () => {
    const { thread, defects } = startThread();
    const order = orderOf(
      JSON.stringify({
        model: 'm',
        messages: [{ role: 'user', content: 'delete a file' }],
        tools: ['file_delete', 'mail_send'].map((name) => ({ type: 'function', function: { name } })),
      }),
    );
    const response = {
      bytes: new Uint8Array(
        Buffer.from(
          '{"choices":[{"message":{"tool_calls":[{"id":"1","type":"function","function":{"name":"mail_send","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}',
        ),
      ),
      contentType: 'application/json',
      contentEncoding: undefined,
    };
    const observed = await thread.observe({ ...order, response });
    expect(observed).toMatchObject({
      planReason: 'deferred',
      model: 'm',
      observation: {
        status: 'done',
        search: { outcome: 'found', names: ['file_delete'] },
        called: ['mail_send'],
        wouldHaveMissed: ['mail_send'],
      },
    });
    expect(response.bytes.byteLength).toBe(0);
    expect(defects).toEqual([]);
  });

  it.each([
    [24, {}, 'few_savings'],
    [200, {}, 'deferred'],
    [24, { PROXY_TOOLS_GOAL: 'context' }, 'deferred'],
  ])(
    'says what the bill of an unknown agent would decide: %d tools, %o',
    async (count, settings, planReason) => {
      const { thread, defects } = startThread(undefined, settings);
      const tools = Array.from({ length: count }, (_, at) => ({
        type: 'function',
        function: { name: `tool_${at}`, description: 'x'.repeat(400) },
      }));
      const messages = [
        { role: 'system', content: 'x'.repeat(60_000) },
        { role: 'user', content: 'hello' },
      ];
      const observed = await thread.observe(orderOf(JSON.stringify({ model: 'gpt-5.4', messages, tools })));
      expect(observed).toMatchObject({ planReason });
      expect(defects).toEqual([]);
    },
  );

  it('reports defects that the thread survived, and those that ended it', async () => {
    const { thread, defects } = startThread(ODD);
    expect(await thread.observe(orderOf('good'))).toMatchObject({ model: 'good' });
    expect(await thread.observe(orderOf('fail'))).toBeUndefined();
    expect(defects).toEqual([new RangeError('lived with'), new TypeError('a defect')]);
    expect(await thread.observe(orderOf('again'))).toMatchObject({ model: 'again' });
  });

  it.each([
    ['throw', /a defect/],
    ['exit', /exited with 3/],
  ])(
    'fails the observations of a thread that ends (%s), and starts another after a delay',
    async (how, message) => {
      const { thread, clock, defects } = startThread(ODD);
      const waiting = thread.observe(orderOf('wait'));
      expect(await thread.observe(orderOf(how))).toBeUndefined();
      expect(await waiting).toBeUndefined();
      expect(defects).toHaveLength(1);
      expect(String((defects[0] as Error).message)).toMatch(message);
      expect(thread.isReady).toBe(false);
      clock.ms += 1_000;
      expect(thread.isReady).toBe(true);
      expect(await thread.observe(orderOf('new'))).toMatchObject({ model: 'new' });
    },
  );

  it('ends a stuck thread, but not a slow one', async () => {
    const { thread, clock, defects } = startThread(ODD);
    const hanging = thread.observe(orderOf('hang'));
    clock.ms += 60_000;
    thread.sweep();
    expect(thread.isReady).toBe(true);
    clock.ms += 1;
    thread.sweep();
    expect(await hanging).toBeUndefined();
    expect(defects).toHaveLength(1);
  });

  it('drops running observations when it is closed, without reporting a defect', async () => {
    const { thread, defects } = startThread(ODD);
    const waiting = thread.observe(orderOf('wait'));
    await thread.close();
    expect(await waiting).toBeUndefined();
    expect(thread.isReady).toBe(false);
    expect(defects).toEqual([]);
  });
});
