import { RegistryFailure, type ToolCall } from '@winnow/clients';
import { CircuitBreaker } from '@winnow/service';
import { describe, expect, test } from 'vitest';
import { createCallRegistry, type OfferedCall } from '../../src/offer/call-registry.ts';

const OK = [{ result: { content: [{ type: 'text', text: 'fine' }] } }];

/** Calls over this client; two consecutive failures open the breaker. */
function calling(callTool: (call: ToolCall) => Promise<readonly unknown[]>) {
  const breaker = new CircuitBreaker({ failures: 2, openMs: 1_000, now: () => 0 });
  const deadlines: number[] = [];
  const late = new AbortController();
  const client = new AbortController();
  const callRegistry = createCallRegistry({
    client: { callTool },
    breaker,
    timeoutMs: 20_000,
    deadline: (ms) => {
      deadlines.push(ms);
      return late.signal;
    },
  });
  const call = (tool: OfferedCall['tool'] = 'search_tools') =>
    callRegistry({ tool, input: {}, token: 't', headers: {}, signal: client.signal });
  return { call, breaker, deadlines, late, client };
}

const failing = (failure: unknown) => calling(() => Promise.reject(failure));
const ofStatus = (status: number) => new RegistryFailure('unavailable', 'status', { status });

describe('a call of the registry', () => {
  test('returns the first result among the messages', async () => {
    const { call, deadlines } = calling(async () => [undefined, { method: 'note' }, ...OK]);
    expect(await call()).toEqual({ outcome: 'ok', text: 'fine', status: 200 });
    expect(deadlines).toEqual([20_000]);
  });

  test('explains a response without a readable result', async () => {
    expect(await calling(async () => [undefined]).call()).toMatchObject({
      outcome: 'bad_answer',
      status: 200,
    });
  });

  test.each([
    [401, 'forbidden'],
    [403, 'forbidden'],
    [404, 'bad_answer'],
    [429, 'unreachable'],
    [500, 'unreachable'],
  ])('explains a status of %d', async (status, outcome) => {
    expect(await failing(ofStatus(status)).call()).toMatchObject({ outcome, status });
  });

  test('reports the cause of a transport error', async () => {
    const cause = Object.assign(new Error('gone'), { code: 'ECONNREFUSED' });
    const outcome = await failing(new RegistryFailure('unreachable', 'gone', { cause })).call();
    expect(outcome).toMatchObject({ outcome: 'unreachable', cause: 'ECONNREFUSED' });
  });

  test('explains a response that is too large', async () => {
    expect(await failing(new RegistryFailure('invalid_response', 'too large')).call()).toMatchObject({
      outcome: 'bad_answer',
    });
  });

  test('ends when the client leaves, and sends no request for a client that has left', async () => {
    const { call, client } = calling(({ signal }) => {
      client.abort();
      expect(signal.aborted).toBe(true);
      return Promise.reject(new Error('aborted'));
    });
    expect(await call()).toMatchObject({ outcome: 'client_gone' });
    expect(await call()).toMatchObject({ outcome: 'client_gone' });
  });

  test('ends at its deadline', async () => {
    const { call, late } = calling(({ signal }) => {
      late.abort();
      expect(signal.aborted).toBe(true);
      return Promise.reject(new Error('aborted'));
    });
    expect(await call()).toMatchObject({ outcome: 'timed_out' });
  });
});

describe('the breaker of the registry', () => {
  const states = async (failure: unknown, tool?: OfferedCall['tool'], isLate = false) => {
    const { call, breaker, late } = failing(failure);
    if (isLate) late.abort();
    await call(tool);
    await call(tool);
    return breaker.state;
  };

  test('opens when the registry fails, and prevents further calls', async () => {
    let calls = 0;
    const { call } = calling(() => {
      calls++;
      return Promise.reject(ofStatus(503));
    });
    await call();
    await call();
    expect(await call()).toMatchObject({ outcome: 'circuit_open' });
    expect(calls).toBe(2);
  });

  test.each<[string, unknown, OfferedCall['tool'], boolean, string]>([
    ['a connection that fails', new RegistryFailure('unreachable', 'gone'), 'call_tool', false, 'open'],
    ['a search that times out', new Error('aborted'), 'search_tools', true, 'open'],
    ["a server's tool that takes too long", new Error('aborted'), 'call_tool', true, 'closed'],
    ['a refusal', ofStatus(403), 'call_tool', false, 'closed'],
    [
      'a response that is too large',
      new RegistryFailure('invalid_response', ''),
      'call_tool',
      false,
      'closed',
    ],
  ])('after %s twice', async (_, failure, tool, isLate, expected) => {
    expect(await states(failure, tool, isLate)).toBe(expected);
  });
});
