import fc from 'fast-check';
import { describe, expect, inject, test } from 'vitest';
import { bedrockConverse } from '../../src/bedrock-converse/bedrock-converse.ts';
import type { WireEvent } from '../../src/framing/framing.ts';
import { brokenForms } from '../broken-responses.ts';
import { SEARCH } from '../format-fixtures.ts';
import { foundFor, planOf, viewOf } from '../run-exchange.ts';
import {
  call,
  converseFixtures,
  event,
  eventsOf,
  search,
  text,
  thinking,
  USAGE,
  write,
} from './converse-fixtures.ts';
import type { Json } from './read-converse.ts';

const QUESTION = converseFixtures.writeRequest({
  isStream: true,
  tools: [converseFixtures.writeTool('weather_get', 'Gets.')],
});
const viewFor = (isStream: boolean, body = QUESTION) =>
  viewOf(bedrockConverse, body, isStream ? converseFixtures.streamPath : converseFixtures.path);
const PLAN = planOf(['weather_get']);
const weather = call('tooluse_Weather0001a', 'weather_get', '{"city":"Zürich"}');
const find = search('tooluse_Search00001c', 'weather');

/** Joins rounds of events. */
function join(rounds: readonly (readonly WireEvent[])[]) {
  const joiner = bedrockConverse.joining.joinResponses(viewFor(true), PLAN);
  const sent: WireEvent[] = [];
  const ends = rounds.map((events) => {
    for (const one of events) sent.push(...joiner.feed(one));
    return joiner.endRound();
  });
  const last = ends.at(-1)!;
  sent.push(...(last.kind === 'failed' ? joiner.fail(last) : joiner.finish()));
  const bodies = sent.map((one) =>
    one.kind === 'event' ? { name: one.name, ...JSON.parse(one.data) } : one,
  );
  return { joiner, ends, sent, bodies: bodies as Json[] };
}

describe('rounds that search', () => {
  test('have the indexes and the end of one message, and the usage of the last', () => {
    const { bodies } = join([
      eventsOf([thinking, text('One. '), find], 'tool_use'),
      eventsOf([text('Two.'), weather], 'tool_use'),
    ]);
    const indexes = bodies.flatMap(({ contentBlockIndex }) => contentBlockIndex ?? []);
    expect([...new Set(indexes as number[])]).toEqual([0, 1, 2, 3]);
    expect(bodies.filter(({ name }) => name === 'messageStart')).toHaveLength(1);
    expect(bodies.slice(-2)).toMatchObject([
      { name: 'messageStop', stopReason: 'tool_use' },
      {
        name: 'metadata',
        usage: { ...USAGE, outputTokens: 14, totalTokens: 134 },
        metrics: { latencyMs: 840 },
      },
    ]);
  });

  test('are added up for the record, by cache lifetimes', () => {
    const withDetails = (ttl: string) =>
      eventsOf([find], 'tool_use').map((one) =>
        one.kind === 'event' && one.name === 'metadata'
          ? event('metadata', {
              usage: { ...USAGE, cacheDetails: [{ ttl, inputTokens: 5 }] },
              metrics: { latencyMs: 1 },
            })
          : one,
      );
    const { joiner } = join([withDetails('1h'), withDetails('5m'), withDetails('1h')]);
    expect(joiner.usage).toMatchObject({ inputTokens: 360, longCacheWriteTokens: 10 });
  });

  test('are over with their usage, whichever of the two ends comes first', () => {
    const events = eventsOf([find], 'tool_use');
    const swapped = [...events.slice(0, -2), events.at(-1)!, events.at(-2)!];
    for (const order of [events, swapped]) {
      const joiner = bedrockConverse.joining.joinResponses(viewFor(true), PLAN);
      const over = order.map((one) => {
        joiner.feed(one);
        return joiner.isRoundOver;
      });
      expect(over.filter(Boolean)).toHaveLength(1);
      expect(over.at(-1)).toBe(true);
      expect(joiner.endRound()).toMatchObject({ kind: 'searching' });
    }
  });

  test('count only text as shown: no start, no empty piece, no signature', () => {
    const joiner = bedrockConverse.joining.joinResponses(viewFor(true), PLAN);
    const quiet = [
      event('messageStart', { role: 'assistant' }),
      event('contentBlockStart', { contentBlockIndex: 0, start: {} }),
      event('contentBlockDelta', { contentBlockIndex: 0, delta: { text: '' } }),
      event('contentBlockDelta', { contentBlockIndex: 1, delta: { reasoningContent: { signature: 's' } } }),
      event('contentBlockStop', { contentBlockIndex: 0 }),
    ];
    for (const one of quiet) joiner.feed(one);
    expect(joiner.hasShown).toBe(false);
    joiner.feed(event('contentBlockDelta', { contentBlockIndex: 2, delta: { text: 'a' } }));
    expect(joiner.hasShown).toBe(true);
  });

  test('take a search that the provider could not read as one with an empty query, once', () => {
    const bad = eventsOf([call('tooluse_Search00006h', SEARCH, '{"query": oh')], 'malformed_tool_use');
    const { ends, bodies } = join([bad, bad]);
    expect(ends).toMatchObject([
      {
        kind: 'searching',
        turn: { searches: [{ queries: [] }], message: expect.stringContaining('"input":{}') },
      },
      { kind: 'finished', stopReason: 'malformed_tool_use', turn: { searches: [] } },
    ]);
    expect(bodies.at(-2)).toMatchObject({ stopReason: 'malformed_tool_use' });
  });

  test('begin again after they are abandoned', () => {
    const joiner = bedrockConverse.joining.joinResponses(viewFor(true), PLAN);
    for (const one of eventsOf([text('A. '), find], 'tool_use')) joiner.feed(one);
    joiner.endRound();
    joiner.feed(event('contentBlockDelta', { contentBlockIndex: 0, delta: { text: 'lost' } }));
    expect(joiner.endRound()).toMatchObject({ kind: 'failed', reason: 'truncated' });
    joiner.abandonRound();
    const again = eventsOf([text('B.')], 'end_turn').flatMap((one) => joiner.feed(one));
    expect(
      again.map((one) => (one.kind === 'event' ? JSON.parse(one.data).contentBlockIndex : undefined)),
    ).toEqual([1, 1]);
    expect(joiner.endRound()).toMatchObject({ kind: 'finished' });
    expect(JSON.stringify(joiner.finish())).not.toContain('lost');
  });
});

test('a stream without a search passes unchanged, however many unknown events follow its stop', () => {
  const [metadata, ...before] = eventsOf([text('A')], 'end_turn').reverse();
  const unknown = Array.from({ length: 40 }, (_, at) => event('later', { at }));
  const events = [...before.reverse(), ...unknown, metadata!];
  const { sent, ends } = join([events]);
  expect(new Set(sent)).toEqual(new Set(events));
  expect(sent.at(-1)).toBe(metadata);
  expect(ends).toMatchObject([{ kind: 'finished' }]);
});

describe('the turn for the provider', () => {
  const messageOf = (events: readonly WireEvent[]) => {
    const { ends } = join([
      [
        ...events,
        ...eventsOf([find], 'tool_use')
          .slice(1)
          .map((one) => moved(one, 9)),
      ],
    ]);
    const [end] = ends;
    if (end?.kind !== 'searching') throw new Error('no search');
    return JSON.parse(end.turn.message).content.slice(0, -1);
  };
  const moved = (one: WireEvent, contentBlockIndex: number): WireEvent => {
    if (one.kind !== 'event' || !one.name?.startsWith('contentBlock')) return one;
    return { ...one, data: JSON.stringify({ ...JSON.parse(one.data), contentBlockIndex }) };
  };
  const delta = (content: Json, contentBlockIndex = 0) =>
    event('contentBlockDelta', { contentBlockIndex, delta: content });
  const start = (content: Json) => event('contentBlockStart', { contentBlockIndex: 0, start: content });

  test.each<[string, WireEvent[], unknown[]]>([
    ['blank text is left out', [delta({ text: ' \n' })], []],
    [
      'thinking keeps its signature',
      [
        delta({ reasoningContent: { text: 'Hm' } }),
        delta({ reasoningContent: { text: '.' } }),
        delta({ reasoningContent: { signature: 's=' } }),
      ],
      [{ reasoningContent: { reasoningText: { text: 'Hm.', signature: 's=' } } }],
    ],
    [
      'hidden thinking is put together from bytes',
      [
        delta({ reasoningContent: { redactedContent: 'YQ==' } }),
        delta({ reasoningContent: { redactedContent: 'Yg==' } }),
      ],
      [{ reasoningContent: { redactedContent: 'YWI=' } }],
    ],
    [
      'citations stay with their text',
      [delta({ text: 'So ' }), delta({ citation: { title: 'A' } }), delta({ text: 'it is.' })],
      [{ citationsContent: { content: [{ text: 'So it is.' }], citations: [{ title: 'A' }] } }],
    ],
    [
      'tools that the provider runs are no calls',
      [
        start({ toolUse: { toolUseId: 'u', name: SEARCH, type: 'server_tool_use' } }),
        delta({ toolUse: { input: '{"a":1}' } }),
      ],
      [
        {
          toolUse: {
            toolUseId: 'u',
            name: SEARCH,
            type: 'server_tool_use',
            input: { a: 1 },
          },
        },
      ],
    ],
    [
      'and their results keep what came in pieces',
      [
        start({ toolResult: { toolUseId: 'u', type: 'x' } }),
        delta({ toolResult: [{ text: 'one' }] }),
        delta({ toolResult: [{ text: 'two' }] }),
      ],
      [{ toolResult: { toolUseId: 'u', type: 'x', content: [{ text: 'one' }, { text: 'two' }] } }],
    ],
    [
      'images have their source',
      [start({ image: { format: 'png' } }), delta({ image: { source: { bytes: 'AA==' } } })],
      [{ image: { format: 'png', source: { bytes: 'AA==' } } }],
    ],
  ])('%s', (_, events, expected) => {
    expect(messageOf([event('messageStart', { role: 'assistant' }), ...events])).toEqual(expected);
  });

  test('keeps every digit of arguments', () => {
    const { ends } = join([
      eventsOf([call('tooluse_Weather0001a', 'weather_get', '{"n":12345678901234567890}'), find], 'tool_use'),
    ]);
    expect(JSON.stringify(ends)).toContain('12345678901234567890');
  });
});

describe('failures', () => {
  test('pass on an exception of the upstream unchanged, but none that names the search tool', () => {
    const exception = (message: string): WireEvent => ({
      kind: 'event',
      name: 'modelStreamErrorException',
      data: JSON.stringify({ message, originalStatusCode: 500 }),
      isError: true,
    });
    const open = exception('Oops.');
    expect(join([[...eventsOf([text('A')], 'x').slice(0, 2), open]]).sent.at(-1)).toBe(open);
    const named = join([[exception(`No tool ${SEARCH}`)]]).sent.at(-1);
    expect(named).toMatchObject({ name: 'internalServerException', isError: true });
    expect(JSON.stringify(named)).not.toContain(SEARCH);
  });

  test.each([
    [{ status: 429, body: '{"message":"Too many tokens."}' }, 'throttlingException', 'Too many tokens.'],
    [{ status: 400, body: '{"message":"Bad."}' }, 'validationException', 'Bad.'],
    [{ status: 403, body: '<p>Forbidden' }, 'internalServerException', '<p>Forbidden'],
    [
      { status: 503, body: `{"message":"${SEARCH}"}` },
      'serviceUnavailableException',
      'The upstream answered with status 503.',
    ],
    [undefined, 'internalServerException', 'It is gone.'],
  ])('word a refusal of a later round as the service does: %o', (refusal, name, message) => {
    for (const isStream of [true, false]) {
      const joiner = bedrockConverse.joining.joinResponses(viewFor(isStream), PLAN);
      const { stream: _, whole } = write([find], 'tool_use');
      for (const one of isStream ? eventsOf([find], 'tool_use') : [{ kind: 'whole', text: whole } as const])
        joiner.feed(one);
      joiner.endRound();
      const failure = {
        kind: 'failed',
        reason: 'interrupted',
        message: refusal ? `The upstream answered with status ${refusal.status}.` : 'It is gone.',
        ...(refusal && { refusal }),
      } as const;
      const [last] = joiner.fail(failure);
      const said = JSON.parse(last!.kind === 'whole' ? last!.text : (last as { data: string }).data);
      expect(said.message).toBe(message);
      expect(last).toMatchObject(isStream ? { name, isError: true } : { kind: 'whole' });
    }
  });

  test('hide other members that name the search tool', () => {
    const events = eventsOf([find], 'tool_use').map((one) =>
      one.kind === 'event' && one.name === 'metadata'
        ? event('metadata', { usage: USAGE, trace: { tools: [SEARCH] } })
        : one,
    );
    expect(JSON.stringify(join([events, events]).sent)).not.toContain(SEARCH);
  });
});

const SETTINGS = { numRuns: inject('isExhaustive') ? 2_000 : 40, seed: 7 };
const dataOf = (events: readonly WireEvent[]) =>
  events.map((one) => (one.kind === 'event' ? { name: one.name, data: JSON.parse(one.data) } : one));
const toEvents = (broken: unknown): WireEvent[] =>
  (Array.isArray(broken) ? broken : []).flatMap((one) =>
    typeof one === 'object' && one !== null && 'data' in one
      ? [
          {
            kind: 'event' as const,
            name: String((one as Json).name),
            data: JSON.stringify(one.data) ?? 'null',
          },
        ]
      : [],
  );
const plain = dataOf(eventsOf([thinking, text('Hi.'), weather], 'tool_use'));
const searching = dataOf(eventsOf([thinking, text('Hi.'), find], 'tool_use'));

test('a stream without a search passes unchanged, whatever is broken in it', () => {
  fc.assert(
    fc.property(brokenForms([plain]), (broken) => {
      const events = toEvents(broken);
      const { sent, ends } = join([events]);
      fc.pre(ends[0]!.kind !== 'failed');
      expect(sent.every((one) => events.includes(one))).toBe(true);
      expect(sent).toHaveLength(events.length);
    }),
    SETTINGS,
  );
});

test('never throws, whatever is broken in rounds that search, and in the history after them', () => {
  const broken = brokenForms([searching, plain]);
  fc.assert(
    fc.property(broken, broken, (first, second) => {
      expect(() => join([toEvents(first), toEvents(second)])).not.toThrow();
    }),
    SETTINGS,
  );
  const wholes = brokenForms([
    JSON.parse(write([text('Hi.'), find], 'tool_use').whole),
    JSON.parse(write([weather], 'tool_use').whole),
  ]);
  fc.assert(
    fc.property(wholes, wholes, (first, second) => {
      const joiner = bedrockConverse.joining.joinResponses(viewFor(false), PLAN);
      for (const body of [first, second]) {
        joiner.feed({ kind: 'whole', text: JSON.stringify(body) });
        const end = joiner.endRound();
        if (end.kind === 'failed') joiner.fail(end);
      }
    }),
    SETTINGS,
  );
  const turn = join([eventsOf([thinking, find, weather], 'tool_use')]).ends[0]!;
  if (turn.kind === 'failed') throw new Error('failed');
  const hidden = bedrockConverse.remembering.hideTurn(viewFor(true), [
    { turn: turn.turn, results: turn.turn.searches.map(foundFor) },
  ])!;
  const shown = {
    role: 'assistant',
    content: [
      { toolUse: { toolUseId: 'tooluse_Weather0001a', name: 'weather_get', input: { city: 'Zürich' } } },
    ],
  };
  const result = {
    role: 'user',
    content: [{ toolResult: { toolUseId: 'tooluse_Weather0001a', content: [{ text: 'x' }] } }],
  };
  const request = { ...JSON.parse(QUESTION), messages: [...JSON.parse(QUESTION).messages, shown, result] };
  fc.assert(
    fc.property(brokenForms([request]), (body) => {
      fc.pre(Array.isArray((body as Json | null)?.messages));
      const view = viewFor(true, JSON.stringify(body));
      bedrockConverse.editing.editRequest(view, PLAN, {
        hiddenTurns: [hidden],
        rounds: [],
        dropsThinking: true,
      });
      return (
        [bedrockConverse.remembering.historyKeys(view), bedrockConverse.remembering.openingKey(view)].length >
        0
      );
    }),
    SETTINGS,
  );
});
