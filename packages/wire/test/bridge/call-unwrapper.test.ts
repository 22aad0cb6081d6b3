import { countJsonValues } from '@winnow/core';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { bridgeOf } from '../../src/bridge/bridge.ts';
import { CallUnwrapper, type UnwrapRules } from '../../src/bridge/bridged-call.ts';
import { judgeCall } from '../../src/bridge/judge-call.ts';
import type { WireEvent } from '../../src/framing/framing.ts';
import { calls, plainDialect, plan, readEvents, said, view } from './plain-calls.ts';

const BRIDGE = 'gateway_call_tool';

function unwrapper(rules: Partial<UnwrapRules> = {}) {
  const defined = new Set(['weather_get', 'file_read']);
  const bridge = bridgeOf(view, plan, plainDialect);
  const events = plainDialect.readCalls(bridge);
  return new CallUnwrapper(bridge, events, { mayRefuse: true, defined, keep: () => true, ...rules });
}

function unwrap(events: readonly WireEvent[], rules: Partial<UnwrapRules> = {}) {
  const one = unwrapper(rules);
  const given = [...events.flatMap((event) => one.take(event)), ...one.settle()];
  return { read: readEvents(given), given, one };
}

/** A call of the bridge tool in these pieces. */
function bridgeCall(pieces: readonly string[], call = 0): WireEvent[] {
  return [
    calls({ call, name: BRIDGE }),
    ...pieces.map((text) => calls({ call, text })),
    calls({ call, isEnd: true }),
  ];
}

/** The name and arguments for the client of a call with these arguments. */
function meant(text: string, rules: Partial<UnwrapRules> = {}) {
  return unwrap(bridgeCall([text]), rules).read[0];
}

describe('a bridge call', () => {
  const TEXTS = [
    ['{"name":"weather_get","arguments":{"city": "Zürich"}}', 'weather_get', '{"city": "Zürich"}'],
    ['{"arguments": {"city":"\\"}{"} , "name": "mail_send" } ', 'mail_send', '{"city":"\\"}{"}'],
    ['{"name":"functions.weather_get","arguments":{"x":1}}', 'weather_get', '{"x":1}'],
    ['{"name":"mail_send","arguments":"{\\"city\\":\\"Bern\\"}"}', 'mail_send', '{"city":"Bern"}'],
    ['{"name":"weather_get"}', 'weather_get', '{}'],
    ['{"name":"weather_get","arguments":null}', 'weather_get', '{}'],
    ['{"name":"weather_get","arguments":""}', 'weather_get', '{}'],
    ['{"name": "mail_send", "city": "Bern", "days": 2}', 'mail_send', '{"city": "Bern", "days": 2}'],
    ['{"name":"\\u0077eather_get","arguments":{"a":"\\u00fc"}}', 'weather_get', '{"a":"\\u00fc"}'],
    ['{"name":"file_read","arguments":{"no":"schema"}}', 'file_read', '{"no":"schema"}'],
    [
      '{"name":"gateway_call_tool","arguments":{"name":"mail_send","arguments":{"city":"Bern"}}}',
      'mail_send',
      '{"city":"Bern"}',
    ],
    // The model was cut off.
    ['{"name":"mail_send","arguments":{"city":"Zü', 'mail_send', '{"city":"Zü'],
    ['{"name":"mail_send","arguments":"{\\"city\\":\\"Zü\\', 'mail_send', '{"city":"Zü'],
    ['{"name":"mail_send","arguments":"{\\"city\\":\\"Z\\u00', 'mail_send', '{"city":"Z'],
    ['{"name":"mail_send"', 'mail_send', ''],
    ['{"name":"mail_send","arguments":{"city":"Bern"}', 'mail_send', '{"city":"Bern"}'],
  ] as const;

  test.each(TEXTS)('is a call of the tool: %s', (text, name, inner) => {
    expect(meant(text)).toEqual({ name, text: inner });
  });

  test.each(TEXTS)('is the same wherever it is cut: %s', (text, name, inner) => {
    for (let at = 1; at < text.length; at += 1) {
      const { read } = unwrap(bridgeCall([text.slice(0, at), text.slice(at)]));
      expect(read, `cut at ${at}`).toEqual([{ name, text: inner }]);
    }
    expect(unwrap(bridgeCall([...text])).read).toEqual([{ name, text: inner }]);
  });

  const DEEP = `{"city":${'['.repeat(200_000)}${']'.repeat(200_000)}}`;
  const WIDE = `{"city":[${'0,'.repeat(300_000)}0]}`;

  test.each([
    ['mail_send', DEEP],
    ['mail_send', JSON.stringify(DEEP)],
    ['weather_get', WIDE],
    ['gateway_search_tools', WIDE],
    ['gateway_call_tool', `{"name":"mail_send","arguments":${DEEP}}`],
  ])('of %s with too many or too deep arguments is decided without reading them', (name, given) => {
    const parse = vi.spyOn(JSON, 'parse');
    onTestFinished(() => parse.mockRestore());
    unwrap(bridgeCall([`{"name":"${name}","arguments":${given}}`]));
    expect(judgeCall(bridgeOf(view, plan, plainDialect), name, given)?.name).not.toBe('zzzz');
    // In an event, they are one value: a text.
    const values = parse.mock.calls.map(([text]) => countJsonValues(Buffer.from(text), 1_000));
    expect(Math.max(0, ...values)).toBeLessThan(100);
  });

  test('of a tool that the proxy answers stays as it is, and is not refused', () => {
    const text = '{"name":"functions.gateway_search_tools","arguments":{"query":"a"}}';
    const { read, one } = unwrap(bridgeCall([...text]));
    expect(read).toEqual([{ name: BRIDGE, text }]);
    expect(one.hasRefused).toBe(false);
    expect(unwrap(bridgeCall(['{"name":"gateway_search_tools","arguments":7}'])).one.hasRefused).toBe(true);
  });

  test.each([
    ['{"name":"no_such","arguments":{}}'],
    ['{"name":"mail_send","arguments":{"days":2}}'],
    ['{"name":"mail_send","arguments":[1]}'],
    ['{"name":"mail_send","arguments":"no json"}'],
    ['{"arguments":{"city":"Bern"}}'],
    ['{"name":"gateway_call_tool","arguments":{}}'],
    ['["mail_send"]'],
    ['no json'],
    [''],
  ])('stays one if it cannot work: %s', (text) => {
    const { read, one } = unwrap(bridgeCall([text]));
    expect(read).toEqual([{ name: BRIDGE, text }]);
    expect(one.hasRefused).toBe(true);
  });

  test.each([
    ['{"name":"no_such","arguments":{}}', 'no_such', '{}'],
    ['{"name":"mail_send","arguments":{"days":2}}', 'mail_send', '{"days":2}'],
    ['{"name":"mail_send","arguments":[1]}', 'mail_send', '[1]'],
  ])('goes out under the name that the model wrote when none is refused: %s', (text, name, inner) => {
    expect(meant(text, { mayRefuse: false })).toEqual({ name, text: inner });
  });

  test('is not refused when the model has read the definition', () => {
    expect(meant('{"name":"weather_get","arguments":{"days":"x"}}')).toMatchObject({ name: 'weather_get' });
  });

  test('stays one where its name never came', () => {
    expect(unwrap(bridgeCall(['{"na'])).read).toEqual([{ name: BRIDGE, text: '{"na' }]);
  });
});

describe('the stream', () => {
  const OUTER = ['{"name":"weather_get","arguments":', '{"city', '":"Bern"}', '}'];

  test('flows once the name and the beginning of the arguments are there', () => {
    const one = unwrapper();
    const counts = bridgeCall(OUTER).map((event) => one.take(event).length);
    // The piece that closes only the bridge call is dropped.
    expect(counts).toEqual([0, 0, 3 - 1, 1, 0, 1]);
  });

  test('holds a call whose definition the model has not read until it is complete', () => {
    const one = unwrapper({ defined: new Set() });
    const counts = bridgeCall(OUTER).map((event) => one.take(event).length);
    expect(counts).toEqual([0, 0, 0, 0, 3, 1]);
  });

  test('passes events of other calls unchanged', () => {
    const events = [said('a'), calls({ call: 0, name: 'file_read', text: '{"x":1}' }), said('end')];
    const one = unwrapper();
    expect(events.flatMap((event) => one.take(event))).toEqual(events);
    expect(events.every((event) => unwrapper().take(event)[0] === event)).toBe(true);
  });

  test("keeps the model's order behind a held call, comments apart", () => {
    const one = unwrapper({ defined: new Set() });
    const comment: WireEvent = { kind: 'comment', text: 'keepalive' };
    const events = [
      calls({ call: 0, name: BRIDGE, text: '{"name":"mail_send","arguments":{"city":' }),
      calls({ call: 1, name: 'file_read', text: '{}' }),
      said('text'),
    ];
    expect(events.flatMap((event) => one.take(event))).toEqual([]);
    expect(one.take(comment)).toEqual([comment]);
    expect(readEvents(one.take(calls({ call: 0, text: '"Bern"}}' })))).toEqual([
      { name: 'mail_send', text: '{"city":"Bern"}' },
      { name: 'file_read', text: '{}' },
      'text',
    ]);
  });

  test('takes parts of calls that alternate', () => {
    const first = '{"name":"mail_send","arguments":{"city":"Bern"}}';
    const second = '{"arguments":{"city":"Genf"},"name":"weather_get"}';
    const events = [calls({ call: 0, name: BRIDGE }), calls({ call: 1, name: BRIDGE })];
    for (let at = 0; at < second.length; at += 1) {
      events.push(calls({ call: 1, text: second[at]! }));
      if (at < first.length) events.push(calls({ call: 0, text: first[at]! }));
    }
    expect(unwrap([...events, said('end')]).read).toEqual([
      { name: 'mail_send', text: '{"city":"Bern"}' },
      { name: 'weather_get', text: '{"city":"Genf"}' },
      'end',
    ]);
  });

  test('takes several calls in one event, and a name in pieces', () => {
    const whole = [
      { call: 0, name: BRIDGE, text: '{"name":"weather_get","arguments":{"city":"Bern"}}', isEnd: true },
      { call: 1, name: 'file_read', text: '{}', isEnd: true },
    ];
    expect(unwrap([calls(...whole)]).read).toEqual([
      { name: 'weather_get', text: '{"city":"Bern"}' },
      { name: 'file_read', text: '{}' },
    ]);
    const pieces = ['gateway_', 'call', '_tool'].map((name) => calls({ call: 0, name }));
    const rest = calls({ call: 0, text: '{"name":"weather_get","arguments":{}}' });
    expect(unwrap([...pieces, rest]).read).toEqual([{ name: 'weather_get', text: '{}' }]);
  });

  test('lets calls pass unchecked when there is no memory to hold them', () => {
    const { read, one } = unwrap(bridgeCall(['{"name":"mail_send",', '"arguments":{"days"', ':2}}']), {
      keep: () => false,
    });
    expect(read).toEqual([{ name: 'mail_send', text: '{"days":2}' }]);
    expect(one.hasRefused).toBe(false);
  });

  test('holds no call without a name for ever when there is no memory', () => {
    const one = unwrapper({ keep: () => false });
    const events = [calls({ call: 0, name: BRIDGE }), calls({ call: 0, text: `{"x":"${'x'.repeat(5_000)}` })];
    expect(events.flatMap((event) => one.take(event))).toEqual(events);
  });
});

describe('the exact form', () => {
  const exact = (text: string, name = BRIDGE) => {
    const { one } = unwrap([calls({ call: 0, name, text, isEnd: true })]);
    return one.exactCalls(1);
  };

  test.each([
    ['{"name":"weather_get","arguments":{"city":"Bern"}}'],
    ['{"name": "weather_get", "arguments": {"city": "Bern"}}'],
    ['{"name":"weather_get","arguments":{}}'],
  ])('is not noted where it is the canonical one: %s', (text) => {
    expect(exact(text)).toEqual([]);
  });

  test.each([
    [
      '{"arguments":{"city":"Bern"}, "name":"weather_get"}',
      { around: ['{"arguments":', ', "name":"weather_get"}'] },
    ],
    ['{"name": "weather_get", "arguments": {}}', { around: ['{"name": "weather_get", "arguments": ', '}'] }],
    ['{"name":"weather_get"}', { around: ['{"name":"weather_get"}', ''], inner: 'none' }],
    [
      '{"name":"weather_get","arguments":"{}"}',
      { around: ['{"name":"weather_get","arguments":', '}'], inner: 'text' },
    ],
  ])('is noted without the arguments: %s', (text, noted) => {
    expect(exact(text)).toEqual([{ at: 0, name: 'weather_get', ...noted }]);
  });

  test('of a call by the real name is noted', () => {
    expect(exact('{"city":"Bern"}', 'weather_get')).toEqual([{ at: 0, name: 'weather_get' }]);
    expect(exact('{}', 'file_read')).toEqual([]);
  });

  test('is not noted at any length, or for a call that is cut off', () => {
    expect(exact(`{"name":"weather_get","arguments":{}${' '.repeat(3_000)}}`)).toEqual([]);
    expect(exact('{"name":"weather_get",  "arguments":{}')).toEqual([]);
  });
});
