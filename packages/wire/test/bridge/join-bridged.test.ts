import { expect, test } from 'vitest';
import { joinBridged } from '../../src/bridge/join-bridged.ts';
import type { ResponseJoiner } from '../../src/format/response-joiner.ts';
import type { BridgePlan } from '../../src/format/view.ts';
import type { WireEvent } from '../../src/framing/framing.ts';
import { calls, plainDialect, plan, readEvents, said, view } from './plain-calls.ts';

/** Passes every event on. */
const PLAIN = {
  feed: (event: WireEvent) => [event],
  endRound: () => ({ kind: 'finished', turn: { message: '', realCalls: [], searches: [] } }),
  finish: () => [],
} as unknown as ResponseJoiner;

/** Returns the calls that the format's own joiner reads from one call of the bridge tool. */
function callsIn(text: string, by: BridgePlan) {
  const joiner = joinBridged(() => PLAIN, plainDialect)(view, by);
  const events = [calls({ call: 0, name: 'gateway_call_tool' }), calls({ call: 0, text, isEnd: true })];
  const given = [...events, said('end')].flatMap((event) => joiner.feed(event));
  joiner.endRound();
  return readEvents([...given, ...joiner.finish()]).filter((read) => typeof read !== 'string');
}

test('arguments that do not fit are the client’s to judge where the model may have read the definition', () => {
  const call = '{"name":"mail_send","arguments":{"days":2}}';
  const unwrapped = [{ name: 'mail_send', text: '{"days":2}' }];
  expect(callsIn(call, plan)).toEqual([{ name: 'gateway_call_tool', text: call }]);
  expect(callsIn(call, { ...plan, load: ['mail_send'] })).toEqual(unwrapped);
  expect(callsIn(call, { ...plan, hasUnknownPast: true })).toEqual(unwrapped);
});

test('a tool that no request declares stays a call of the bridge tool, whatever the past', () => {
  const call = '{"name":"no_such_tool","arguments":{}}';
  const refused = [{ name: 'gateway_call_tool', text: call }];
  expect(callsIn(call, { ...plan, hasUnknownPast: true })).toEqual(refused);
});

test('events that the end of a round released come before each attempt at the next one', () => {
  const joiner = joinBridged(() => ({ ...PLAIN, abandonRound: () => {} }), plainDialect)(view, plan);
  joiner.feed(calls({ call: 0, name: 'gateway_call_tool' }));
  joiner.feed(calls({ call: 0, text: '{"name":"no_such_tool"' }));
  joiner.endRound();
  const first = readEvents([...joiner.feed(said('next'))]);
  expect(first.at(-1)).toBe('next');
  expect(first.length).toBeGreaterThan(1);
  joiner.abandonRound();
  expect(readEvents([...joiner.feed(said('next'))])).toEqual(first);
});

test('an abandoned round leaves nothing of its calls', () => {
  const joiner = joinBridged(() => ({ ...PLAIN, abandonRound: () => {} }), plainDialect)(view, plan);
  const call = [
    calls({ call: 0, name: 'gateway_call_tool' }),
    calls({ call: 0, text: '{"name":"file_read","arguments":{}}', isEnd: true }),
  ];
  for (const event of [call[0]!, calls({ call: 0, text: '{"name":"mail_' })])
    expect(joiner.feed(event)).toEqual([]);
  joiner.abandonRound();
  const given = call.flatMap((event) => joiner.feed(event));
  expect(readEvents(given)).toEqual([{ name: 'file_read', text: '{}' }]);
});
