import fc from 'fast-check';
import { describe, expect, inject, test } from 'vitest';
import { anthropicMessages } from '../../src/anthropic-messages/anthropic-messages.ts';
import type { Format, RequestReading, ToolSection } from '../../src/index.ts';
import { BodyBytes } from '../../src/json/body-bytes.ts';
import { openaiChat } from '../../src/openai-chat/openai-chat.ts';
import { KnownSections } from '../../src/request/known-sections.ts';
import { toolListReader } from '../../src/request/tool-entries.ts';
import { planOf, viewOf } from '../run-exchange.ts';

const NOTHING = { hiddenTurns: [], rounds: [] };

/** JSON that is easy to misread. */
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

describe('KnownSections', () => {
  test('finds an array by all of its text, at any place', () => {
    const sections = knowing(['[{"a":1},2]']);
    const text = '{"x": [{"a":1},2] }';
    const place = sections.find(inPieces(text), 'x')!;
    expect(text.slice(place.start, place.end)).toBe('[{"a":1},2]');
    expect(place.known.section.entries.map(({ span }) => span)).toEqual([
      { start: 1, end: 8 },
      { start: 9, end: 10 },
    ]);
    expect(at(sections, '[{"a":1},2]')?.value).toEqual([{ a: 1 }, 2]);
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
    expect(at(knowing(['[{"a":1},2]']), text)).toBeUndefined();
  });

  test('forgets the array that was not used for longest', () => {
    const sections = knowing(['[1]', '[2]']);
    at(sections, '[1]');
    remember(sections, '[3]');
    expect(['[1]', '[2]', '[3]'].map((text) => at(sections, text) !== undefined)).toEqual([
      true,
      false,
      true,
    ]);
  });

  test('holds no more values than it may, however short their texts', () => {
    const limits = { count: 9, characters: 1e6, values: 6, fewestCharacters: 0 };
    const sections = knowing(['[1,1,1,1,1,1,1]', '[2,2,2]', '[3,3,3,3]'], limits);
    expect(at(sections, '[1,1,1,1,1,1,1]')).toBeUndefined();
    expect(at(sections, '[2,2,2]')).toBeUndefined();
    expect(at(sections, '[3,3,3,3]')).toBeDefined();
  });

  test('holds no more characters than it may', () => {
    const sections = knowing(['[1]', '[22222]'], {
      count: 9,
      characters: 9,
      values: 99,
      fewestCharacters: 0,
    });
    expect(at(sections, '[1]')).toBeUndefined();
    expect(at(sections, '[22222]')).toBeDefined();
  });

  test('leaves sections alone that are too short or too long', () => {
    const sections = knowing(['[1]', '[4444444]', '[333]'], {
      count: 9,
      characters: 6,
      values: 99,
      fewestCharacters: 4,
    });
    expect(['[1]', '[4444444]', '[333]'].map((text) => at(sections, text) !== undefined)).toEqual([
      false,
      false,
      true,
    ]);
  });

  test('remembers an array once', () => {
    const sections = knowing(['[1]', '[2]', '[2]', '[2]']);
    expect(at(sections, '[1]')).toBeDefined();
  });

  test('freezes what requests share, however deep', () => {
    const deep = `${'['.repeat(100_000)}{}${']'.repeat(100_000)}`;
    const sections = knowing([deep, '[{"a":{"b":[{}]}}]']);
    expect(at(sections, deep)).toBeDefined();
    const [value] = at(sections, '[{"a":{"b":[{}]}}]')!.value as [{ a: { b: [object] } }];
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
  // There is only one escaped key, because V8 does not read two reliably.
  const members = fc.oneof(
    fc.array(fc.tuple(plainKey, space, list), { maxLength: 3 }),
    fc.array(fc.tuple(fc.constant<string>('"t\\u006fols"'), space, list), { maxLength: 1 }),
  );

  /** Bodies with a known list, mostly at places where it counts and some at others; some are not JSON. */
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
        const meaning = meaningOf(cold);
        const edited = editsOf(format, cold);
        forgetTools(format);
        for (const list of known) read(format, bodyWith(list));
        const warm = read(format, text);
        expect(meaningOf(warm)).toEqual(meaning);
        // `toEqual` does not compare the order of keys.
        expect(JSON.stringify(meaningOf(warm))).toBe(JSON.stringify(meaning));
        expect(editsOf(format, warm)).toEqual(edited);
        if (warm.ok) expect(warm.view.bytes.whole.equals(Buffer.from(text))).toBe(true);
      }),
      { numRuns: inject('isExhaustive') ? 150 : 15 },
    );
  });

  test('parses them once, and again when they are forgotten', () => {
    const definitionOf = (text: string) => viewOf(format, text).tools[0]!.definition;
    const first = definitionOf(bodyWith(known[0]!));
    expect(definitionOf(`{"seed":1,"tools" : ${known[0]},"messages":[{"role":"user"}]}`)).toBe(first);
    forgetTools(format);
    expect(definitionOf(bodyWith(known[0]!))).not.toBe(first);
  });

  test('holds them once, however many requests have them', () => {
    read(format, bodyWith(known[0]!));
    const { bytes, toolBytes } = viewOf(format, bodyWith(known[0]!));
    const start = bytes.indexOf(Buffer.from(known[0]!));
    expect(bytes.slice(start, start + toolBytes!.length).buffer).toBe(toolBytes!.buffer);
    expect(viewOf(format, bodyWith(known[0]!)).toolBytes).toBe(toolBytes);
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
  limits = { count: 2, characters: 1e6, values: 1e6, fewestCharacters: 0 },
): KnownSections {
  const sections = new KnownSections(
    toolListReader((definition) => ({ ...NO_FACTS, definition })),
    limits,
  );
  for (const text of texts) remember(sections, text);
  return sections;
}

const NO_FACTS = { name: undefined, description: '', kind: 'other', isCacheMarked: false } as const;

/** Returns a body in three pieces, cut at any place. */
function inPieces(text: string): BodyBytes {
  const bytes = Buffer.from(text);
  const [first, second] = [Math.floor(bytes.length / 3), Math.floor((2 * bytes.length) / 3)];
  return new BodyBytes([bytes.subarray(0, first), bytes.subarray(first, second), bytes.subarray(second)]);
}

/** Returns the known section after a key. */
function at(sections: KnownSections, text: string): ToolSection | undefined {
  const pieces = ['{"x" ', `:\n${text.slice(0, 1)}`, text.slice(1), '}'].map((piece) => Buffer.from(piece));
  return sections.find(new BodyBytes(pieces), 'x')?.known.section;
}

function remember(sections: KnownSections, text: string): void {
  sections.read(JSON.parse(text), text, { isPlain: true });
}

/** Makes the reader forget every list of tools by reading many others. */
function forgetTools(format: Format): void {
  for (let number = 0; number < 32; number++) read(format, bodyWith(`["${number}${LONG}"]`));
}

function bodyWith(tools: string): string {
  return `{"tools":${tools},"messages":[{"role":"user"}]}`;
}

function read(format: Format, text: string): RequestReading {
  return format.reading.readRequest(inPieces(text), {
    purpose: 'answer',
    searchToolName: 'search',
    path: '/',
    query: '',
  });
}

/** Returns the view of a request without its positions in the text, which need not be whole. */
function meaningOf(reading: RequestReading): unknown {
  if (!reading.ok) return reading;
  const { text, toolBytes, spans, ...view } = reading.view;
  return { ...view, members: [...spans.members.keys()] };
}

/** Returns the texts of a request after every kind of edit: of the tools, around them, and both. */
function editsOf(format: Format, reading: RequestReading): string[] | undefined {
  if (!reading.ok) return undefined;
  const { view } = reading;
  const call = { id: 'call_1', name: 'search', queries: ['x'] };
  const message = '{"role":"assistant","content":"é"}';
  const rounds = [{ turn: { message, realCalls: [], searches: [call] }, results: [] }];
  const swap = planOf(['a', 'd'], ['d']);
  const none = { ...planOf([]), searchTool: undefined };
  const plans = [swap, planOf([]), { ...swap, loadMode: 'native' as const }, none];
  return plans.flatMap((plan) =>
    [NOTHING, { hiddenTurns: [], rounds }].map((past) =>
      new TextDecoder('utf-8', { ignoreBOM: true }).decode(format.editing.editRequest(view, plan, past)),
    ),
  );
}
