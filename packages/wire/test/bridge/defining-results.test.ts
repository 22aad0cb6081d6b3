import { describe, expect, test } from 'vitest';
import { namesDefinedBy, resultTools } from '../../src/bridge/found-definitions.ts';
import { refuseCall } from '../../src/bridge/join-bridged.ts';
import type { HiddenTurn, RequestView } from '../../src/index.ts';
import { plainDialect, plan, view } from './plain-calls.ts';

const results = (from: RequestView = view) => resultTools(from, plan, plainDialect);
const found = (...names: string[]) => ({ callId: 'call_1', kind: 'found', names }) as const;

describe('a result in bridge mode', () => {
  test('holds the definitions of its tools', () => {
    const text = results().textOf(found('mail_send', 'no_longer_declared'));
    expect(text).toContain('gateway_call_tool');
    expect(text).toContain('{"name":"mail_send","description":"Does mail_send.","parameters":{');
    expect(text).not.toContain('no_longer_declared');
  });

  test('only names tools that the request defines already', () => {
    const tools = results();
    tools.textOf(found('mail_send'));
    const again = tools.textOf(found('weather_get', 'mail_send', 'file_read'));
    expect(again).toContain('{"name":"weather_get"');
    expect(again).not.toContain('{"name":"mail_send"');
    expect(again).toContain('Defined earlier in this conversation: mail_send, file_read.');
  });

  test('defines a tool as before when one request shows it as well', () => {
    const before = results().textOf(found('mail_send', 'weather_get'));
    const shown = { ...plan, defer: ['weather_get'] };
    const { textOf } = resultTools(view, shown, plainDialect);
    expect(textOf(found('mail_send', 'weather_get'))).toBe(before);
  });

  test('names all tools after a failed search, without their parameters', () => {
    const text = results().textOf({ ...found('weather_get', 'mail_send'), kind: 'restored' });
    expect(text).toContain('{"name":"weather_get","summary":"Does weather_get."}');
    expect(text).not.toContain('"parameters"');
  });

  test('names as many tools of a large catalogue as there is room for', () => {
    const names = Array.from({ length: 5_000 }, (_, nth) => `tool_${nth}`);
    const entries = names.map((name) => ({ name, description: 'Does.', kind: 'function', definition: {} }));
    const large = { toolSection: { entries } } as unknown as RequestView;
    const text = results(large).textOf({ ...found(...names), kind: 'restored' });
    expect(text.length).toBeLessThan(100_000);
    expect(text).toMatch(/\d+ more tools are not listed\.$/);
  });

  test('says what is wrong with a call, and defines its tool', () => {
    const input = { name: 'mail_send', arguments: { days: 2 } };
    const call = { id: 'call_1', name: 'gateway_call_tool', queries: [], input };
    const refusal = refuseCall(view, plan, call, plainDialect);
    expect(refusal).toMatchObject({ callId: 'call_1', kind: 'answered', isError: true });
    const kept = { callId: 'call_1', kind: refusal.kind, names: ['mail_send'], text: refusal.text! };
    const text = results().textOf(kept);
    expect(text).toMatch(
      /^The arguments of mail_send do not fit its definition: They must have the member "city"/,
    );
    expect(text).toContain('{"name":"mail_send","description"');
  });

  test.each([undefined, {}, { name: 7 }])('asks for a name where a call has none: %j', (input) => {
    const call = { id: 'call_1', name: 'gateway_call_tool', queries: [], input };
    expect(refuseCall(view, plan, call, plainDialect)).toMatchObject({
      tools: [],
      text: 'Give the name of the tool as "name" and its arguments, an object, as "arguments".',
    });
  });
});

test('the results of hidden turns tell which tools a history defines', () => {
  const kept = (kind: string, ...names: string[]) => JSON.stringify({ callId: 'c', kind, names });
  const hidden = {
    before: ['{}', `[${kept('found', 'mail_send')},${kept('restored', 'weather_get')}]`],
    message: '{}',
    results: [kept('answered', 'file_read', 'no_longer_declared')],
  } as unknown as HiddenTurn;
  expect(namesDefinedBy(view, [hidden], plainDialect)).toEqual(['mail_send', 'file_read']);
});
