import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anthropicMessages } from '../src/anthropic-messages/anthropic-messages.ts';
import type { Format, RequestReading } from '../src/index.ts';
import { elementsOf, valueSpan } from '../src/json-splice.ts';
import { KnownArrays } from '../src/known-arrays.ts';
import { openaiChat } from '../src/openai-chat/openai-chat.ts';
import { planOf, viewOf } from './run-exchange.ts';

const NOTHING = { hiddenTurns: [], rounds: [] };

/** JSON that is easily misread. */
const oddJson = fc.constantFrom(
  '12345678901234567890',
  '1.0',
  '"\\"tools\\":[]"',
  '"]},{["',
  '"\\\\"',
  '"世界"',
  '{ "tools" : [ ] }',
  '{"x\\u0061":[1 , 2],"__proto__":{}}',
  '[]',
);

/** Long enough that a list of tools is worth remembering. */
const LONG = 'Does. '.repeat(700);

describe('KnownArrays', () => {
  test('finds an array by all of its text, at any place', () => {
    const arrays = knowing(['[{"a":1},2]']);
    expect(arrays.find('{"x": [{"a":1},2] }', 6)?.elements).toEqual([
      { start: 1, end: 8 },
      { start: 9, end: 10 },
    ]);
    expect(arrays.find('[{"a":1},2]', 0)?.values).toEqual([{ a: 1 }, 2]);
  });

  test.each([
    ['another value', '[{"a":2},2]'],
    ['other white space', '[{"a":1}, 2]'],
    ['a longer array', '[{"a":1},2,3]'],
    ['a shorter array', '[{"a":1}]'],
    ['an array cut short', '[{"a":1},2'],
    ['an array within it', '[[{"a":1},2]]'],
    ['an empty array', '[]'],
    ['no array', 'null'],
  ])('does not take %s for it', (_, text) => {
    expect(knowing(['[{"a":1},2]']).find(text, 0)).toBeUndefined();
  });

  test('forgets the array that was not used for longest', () => {
    const arrays = knowing(['[1]', '[2]']);
    arrays.find('[1]', 0);
    remember(arrays, '[3]');
    expect(['[1]', '[2]', '[3]'].map((text) => arrays.find(text, 0) !== undefined)).toEqual([
      true,
      false,
      true,
    ]);
  });

  test('holds no more characters than it may', () => {
    const arrays = knowing(['[1]', '[22222]'], { count: 9, characters: 9, fewestCharacters: 0 });
    expect(arrays.find('[1]', 0)).toBeUndefined();
    expect(arrays.find('[22222]', 0)).toBeDefined();
  });

  test('leaves arrays alone that are too short or too long', () => {
    const arrays = knowing(['[1]', '[4444444]', '[333]'], { count: 9, characters: 6, fewestCharacters: 4 });
    expect(['[1]', '[4444444]', '[333]'].map((text) => arrays.find(text, 0) !== undefined)).toEqual([
      false,
      false,
      true,
    ]);
  });

  test('remembers an array once', () => {
    const arrays = knowing(['[1]', '[2]', '[2]', '[2]']);
    expect(arrays.find('[1]', 0)).toBeDefined();
  });

  test('freezes what requests share, however deep', () => {
    const deep = `${'['.repeat(100_000)}{}${']'.repeat(100_000)}`;
    const arrays = knowing([deep, '[{"a":{"b":[{}]}}]']);
    expect(arrays.find(deep, 0)).toBeDefined();
    const [value] = arrays.find('[{"a":{"b":[{}]}}]', 0)!.values as [{ a: { b: [object] } }];
    for (const part of [value, value.a, value.a.b, value.a.b[0]]) expect(Object.isFrozen(part)).toBe(true);
  });
});

describe.each<[string, Format, (name: string, more: string) => string]>([
  [
    'openai-chat',
    openaiChat,
    (name, more) => `{"type":"function", "x":${more},"function":{"name":"${name}","description":"${LONG}"}}`,
  ],
  [
    'anthropic-messages',
    anthropicMessages,
    (name, more) =>
      `{"name":"${name}", "x":${more},"description":"${LONG}","input_schema":{"type":"object"}}`,
  ],
])('%s with tools that are known', (_, format, writeTool) => {
  const tools = (names: readonly string[], more = '1.0') =>
    names.map((name) => writeTool(name, more)).join(' ,');
  const known = [`[${tools(['a', 'b'])}]`, `[ ${tools(['a', 'b', 'c'])}\n]`];

  const list = fc.oneof(
    fc.constantFrom(...known, ...known, '[]', '[ ]', 'null', `[${known[0]}]`, `{"tools":${known[0]}}`),
    oddJson.map((more) => `[${tools(['a', 'd'], more)}]`),
  );
  const plainKey = fc.constantFrom<string[]>('"tools"', '"tools"', '"tools"', '"x"', '"messages"');
  const space = fc.constantFrom('', ' ', '\n\t');
  // An escaped key stands alone, as V8 does not read two of them reliably.
  const members = fc.oneof(
    fc.array(fc.tuple(plainKey, space, list), { maxLength: 3 }),
    fc.array(fc.tuple(fc.constant<string>('"t\\u006fols"'), space, list), { maxLength: 1 }),
  );

  /** Bodies of which most have a list that is known, at places where it counts and at others, and of which some are no JSON. */
  const body = fc
    .record({
      start: fc.constantFrom('{', '{', '{', '\ufeff {', '[{', '["{",'),
      before: oddJson,
      members,
      after: oddJson,
      end: fc.constantFrom('}', '}', '}', '} \n', '', '}}', ']'),
    })
    .map(({ start, before, members, after, end }) => {
      const written = members
        .map(([key, blank, value]) => `${key}${blank}:${blank}${value}${blank},`)
        .join('');
      const messages = '[{"role":"user","content":"\\"tools\\":[]"}]';
      return `${start}"before":${before} ,${written}"after" : ${after},"messages":${messages}${end}`;
    });

  test('reads and edits every body as if they were not', () => {
    fc.assert(
      fc.property(body, (text) => {
        forgetTools(format);
        const cold = read(format, text);
        const edited = editOf(format, cold);
        forgetTools(format);
        for (const list of known) read(format, bodyWith(list));
        const warm = read(format, text);
        expect(warm).toEqual(cold);
        // Key order is nothing that `toEqual` compares.
        expect(JSON.stringify(warm)).toBe(JSON.stringify(cold));
        expect(editOf(format, warm)).toEqual(edited);
      }),
      { numRuns: 150 },
    );
  });

  test('parses them once, and anew when they are forgotten', () => {
    const definitionOf = (text: string) => viewOf(format, text).tools[0]!.definition;
    const first = definitionOf(bodyWith(known[0]!));
    expect(definitionOf(`{"seed":1,"tools" : ${known[0]},"messages":[{"role":"user"}]}`)).toBe(first);
    forgetTools(format);
    expect(definitionOf(bodyWith(known[0]!))).not.toBe(first);
  });

  test.each(['"tools"', '"t\\u006fols"'])('learns nothing from a body that has a second list, %s', (key) => {
    forgetTools(format);
    const text = `{"tools":${known[0]},${key}:${known[1]},"messages":[{"role":"user"}]}`;
    const definitionOf = (body: string) => viewOf(format, body).tools[0]!.definition;
    const first = definitionOf(text);
    for (const later of [text, bodyWith(known[0]!), bodyWith(known[1]!)]) {
      expect(definitionOf(later)).not.toBe(first);
    }
  });

  test('says why a body around them is none', () => {
    read(format, bodyWith(known[0]!));
    expect(read(format, `{"tools":${known[0]}`)).toEqual({ ok: false, reason: 'not_json' });
    expect(read(format, `{"tools":${known[0]}]}`)).toEqual({ ok: false, reason: 'not_json' });
    expect(read(format, `{"tools":${known[0]}}`)).toEqual({ ok: false, reason: 'unknown_shape' });
    expect(read(format, `[{"tools":${known[0]},"messages":[]}]`)).toEqual({
      ok: false,
      reason: 'unknown_shape',
    });
  });
});

function knowing(
  texts: readonly string[],
  limits = { count: 2, characters: 1e6, fewestCharacters: 0 },
): KnownArrays {
  const arrays = new KnownArrays(limits);
  for (const text of texts) remember(arrays, text);
  return arrays;
}

function remember(arrays: KnownArrays, array: string): void {
  const text = `{"x":${array}}`;
  const span = valueSpan(text, 5);
  arrays.remember({ text, span, elements: elementsOf(text, 5), values: JSON.parse(array) });
}

/** Has every list of tools forgotten, as so many others are read. */
function forgetTools(format: Format): void {
  for (let number = 0; number < 32; number++) read(format, bodyWith(`["${number}${LONG}"]`));
}

function bodyWith(tools: string): string {
  return `{"tools":${tools},"messages":[{"role":"user"}]}`;
}

function read(format: Format, text: string): RequestReading {
  return format.readRequest(new TextEncoder().encode(text), { purpose: 'answer', searchToolName: 'search' });
}

function editOf(format: Format, reading: RequestReading): Uint8Array | undefined {
  return reading.ok ? format.editRequest(reading.view, planOf(['a', 'd'], ['d']), NOTHING) : undefined;
}
