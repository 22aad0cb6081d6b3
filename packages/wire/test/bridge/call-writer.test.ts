import { describe, expect, test } from 'vitest';
import { bridgeOf } from '../../src/bridge/bridge.ts';
import { CallUnwrapper } from '../../src/bridge/bridged-call.ts';
import { CallWriter } from '../../src/bridge/call-writer.ts';
import type { ExactCall } from '../../src/index.ts';
import { calls, plainDialect, plan, readEvents, view } from './plain-calls.ts';

const bridge = bridgeOf(view, plan, plainDialect);
function writerOf(...exact: ExactCall[]): CallWriter {
  const writer = new CallWriter(bridge);
  writer.beginTurn(exact);
  return writer;
}

describe('writing calls of a history', () => {
  test.each([
    ['weather_get', '{"city":"Bern"}', '{"name":"weather_get","arguments":{"city":"Bern"}}'],
    ['weather_get', '{"city": "Bern"}', '{"name": "weather_get", "arguments": {"city": "Bern"}}'],
    ['no_longer_declared', '', '{"name":"no_longer_declared","arguments":{}}'],
    ['mail_send', '{"city":"Be', '{"name":"mail_send","arguments":"{\\"city\\":\\"Be"}'],
  ])('writes a call of %s with %s as a bridge call', (name, given, text) => {
    const written = writerOf().write({ name, arguments: given });
    expect(written).toEqual({ name: 'gateway_call_tool', arguments: text });
  });

  test.each(['file_read', 'gateway_search_tools', 'gateway_call_tool'])('leaves a call of %s', (name) => {
    expect(writerOf().write({ name, arguments: '{}' })).toBeUndefined();
    expect(writerOf().nameOf(name)).toBe(name);
  });

  test.each([
    ['{"arguments" : {"city":"Bern"}, "name":"weather_get"}'],
    ['{"name": "functions.weather_get", "arguments": {}}'],
    ['{"name":"weather_get"}'],
    ['{"name":"weather_get","arguments":"{\\"city\\":\\"Bern\\"}"}'],
  ])('writes again what the model wrote: %s', (text) => {
    const rules = { mayRefuse: true, defined: new Set<string>(), keep: () => true };
    const one = new CallUnwrapper(bridge, plainDialect.readCalls(bridge), {
      ...rules,
      mayRefuse: false,
    });
    const event = calls({ call: 0, name: 'gateway_call_tool', text, isEnd: true });
    const [shown] = readEvents(one.take(event)) as { name: string; text: string }[];
    const writer = writerOf(...one.exactCalls(1));
    const read = { id: 'call_1', name: shown!.name, arguments: shown!.text };
    expect(writer.write(read)).toEqual({ name: 'gateway_call_tool', arguments: text });
  });

  const byName = { at: 0, name: 'weather_get' };
  const call = (id?: string) => ({ id, name: 'weather_get', arguments: '{}' });

  test('leaves a call that the model made by the real name, and its result', () => {
    const writer = writerOf(byName);
    expect(writer.write(call('call_1'))).toBeUndefined();
    expect(writer.write(call('call_2'))?.name).toBe('gateway_call_tool');
    expect(writer.nameOf('weather_get', 'call_2')).toBe('gateway_call_tool');
    expect(writer.nameOf('weather_get', 'call_1')).toBe('weather_get');
    writer.beginTurn([]);
    expect(writer.write(call('call_1'))?.name).toBe('gateway_call_tool');
  });

  test.each([[undefined], ['call_1']])('pairs results by their order where ids are all alike: %s', (id) => {
    const writer = writerOf(byName);
    writer.write({ id, name: 'gateway_search_tools', arguments: '{}' });
    expect([writer.write(call(id))?.name, writer.write(call(id))?.name]).toEqual([
      undefined,
      'gateway_call_tool',
    ]);
    expect([writer.nameOf('weather_get', id), writer.nameOf('weather_get', id)]).toEqual([
      'weather_get',
      'gateway_call_tool',
    ]);
  });

  test('uses no form of another tool', () => {
    const around = ['{"arguments":', ',"name":"weather_get"}'] as const;
    const renamed = writerOf({ at: 0, name: 'mail_send', around });
    expect(renamed.write(call())?.arguments).toBe('{"name":"weather_get","arguments":{}}');
  });

  test('writes the arguments of a client that changed them', () => {
    const around = ['{"name":"weather_get"}', ''] as const;
    const writer = writerOf({ at: 0, name: 'weather_get', around, inner: 'none' });
    const written = writer.write({ id: 'call_1', name: 'weather_get', arguments: '{"city":"Bern"}' });
    expect(written?.arguments).toBe('{"name":"weather_get","arguments":{"city":"Bern"}}');
  });
});
