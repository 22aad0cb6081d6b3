import { describe, expect, test } from 'vitest';
import { REQUEST_STATE_TTL_MS } from '../../src/front-door/call-tool.ts';
import { makeFrontDoor, NOW, onServer } from './make-front-door.ts';

const TOOLS = [onServer('jira', 'create'), onServer('jira', 'close'), onServer('mail', 'send')];
const ASKS = {
  resultType: 'input_required',
  inputRequests: { sure: { method: 'elicitation/create', params: { message: 'Sure?' } } },
  requestState: "the server's own",
};

async function interrupted(clock: { now: number } = { now: NOW }) {
  const made = await makeFrontDoor(TOOLS, { wallClock: () => clock.now });
  made.servers.answer = () => ASKS;
  const call = (name: string, requestState?: string) =>
    made.door.callTool({
      name: 'call_tool',
      arguments: { name, arguments: {} },
      context: {
        inputResponses: { sure: { action: 'accept' } },
        ...(requestState !== undefined && { requestState }),
      },
    });
  const first = await call('jira__create');
  if (first.kind !== 'result') throw new Error('no result');
  return { ...made, call, result: first.result, state: first.result.requestState as string };
}

const REFUSED = {
  kind: 'error',
  outcome: 'invalid_request_state',
  error: {
    code: -32602,
    message: 'Invalid or expired requestState',
    data: { reason: 'invalid_request_state' },
  },
};

describe('the state of an interrupted call', () => {
  test('R63: input_required passes through, its requestState sealed', async () => {
    const { result } = await interrupted();
    expect(result).toEqual({ ...ASKS, requestState: expect.stringMatching(/^w1\.[\w-]+\.[\w-]{43}$/) });
  });

  test('R63: the next round reaches the server with its own state and what was asked for', async () => {
    const { call, state, servers } = await interrupted();
    servers.answer = () => ({ content: [] });
    expect(await call('jira__create', state)).toMatchObject({ outcome: 'ok' });
    expect(servers.received.at(-1)).toMatchObject({
      server: 'jira',
      options: { requestState: "the server's own", inputResponses: { sure: { action: 'accept' } } },
    });
  });

  test('R63: a server without a state of its own gets none back', async () => {
    const { servers, call } = await interrupted();
    const { requestState: _, ...asks } = ASKS;
    servers.answer = () => asks;
    const first = await call('jira__create');
    const state = first.kind === 'result' ? (first.result.requestState as string) : '';
    await call('jira__create', state);
    expect(servers.received.at(-1)?.options).not.toHaveProperty('requestState');
  });

  test('R63: a state that was altered, made up, of another tool or too old is refused', async () => {
    const clock = { now: NOW };
    const { call, state, servers } = await interrupted(clock);
    const [form, body, mac] = state.split('.') as [string, string, string];
    const otherBody = Buffer.from(JSON.stringify(['mail', 'jira:create', NOW, 'x'])).toString('base64url');
    const forged = [
      '',
      '.',
      'w1..',
      'x'.repeat(100_000),
      `${form}.${body}`,
      `${form}.${otherBody}.${mac}`,
      `${form}.${body}.${mac.slice(0, -2)}AA`,
      `${form}.${body}.${mac}=`,
    ];
    for (const one of forged) expect(await call('jira__create', one)).toEqual(REFUSED);
    expect(await call('jira__close', state)).toEqual(REFUSED);
    expect(servers.received).toHaveLength(1);
    clock.now += REQUEST_STATE_TTL_MS;
    expect(await call('jira__create', state)).toMatchObject({ outcome: 'input_required' });
    clock.now += 1;
    expect(await call('jira__create', state)).toEqual(REFUSED);
  });

  test.each([
    ['another registry', { registry: { scope: 'other' } }, REFUSED],
    ['another caller', { caller: 'mallory' }, REFUSED],
    ['the same caller on another instance', {}, { outcome: 'ok' }],
  ])('R63: the state of an interrupted call, sent by %s', async (_, options, expected) => {
    const { state } = await interrupted();
    const other = await makeFrontDoor(TOOLS, options);
    const end = await other.door.callTool({
      name: 'call_tool',
      arguments: { name: 'jira__create', arguments: {} },
      context: { requestState: state },
    });
    expect(end).toMatchObject(expected);
  });
});
