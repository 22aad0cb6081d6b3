import {
  argumentsEvent,
  callEvent,
  type EventsInput,
  goodEvents,
  grammarOf,
  nameOf,
  oddEvent,
  wholeMessage,
} from './answer-shapes.ts';
import { ODD_VALUES } from './odd-values.ts';

/** The body of a hostile response. */
export interface HostileEvents {
  readonly kind: string;
  readonly contentType: string;
  readonly pieces: Iterable<Buffer>;
  /** Whether the pieces are endless. */
  readonly isEndless: boolean;
}

/** Generates the body of a response that is not a stream. */
export function writeWhole(input: EventsInput): HostileEvents {
  const { random, size } = input;
  const kind = random.pick(Object.keys(ODD_VALUES));
  const value = ODD_VALUES[kind]!(input);
  const message = wholeMessage(input, value);
  const text = random.chance(0.1) ? message.slice(0, random.below(message.length)) : message;
  const padded = random.chance(0.1) ? `${' '.repeat(size)}${text}` : text;
  return {
    kind: `a whole answer with ${kind}`,
    contentType: random.pick([
      'application/json',
      'application/json',
      'application/json; charset=utf-16',
      'text/plain',
      '',
    ]),
    pieces: [Buffer.from(padded)],
    isEndless: false,
  };
}

/** Generates the body of a streamed response: a benign one with a hostile part at some position. */
export function writeEvents(input: EventsInput): HostileEvents {
  const { random } = input;
  const { contentType } = grammarOf(input);
  const good = goodEvents(input);
  const kind = random.pick([...Object.keys(ODD_VALUES), ...Object.keys(ODD_STREAMS)]);
  const oddStream = ODD_STREAMS[kind];
  if (oddStream !== undefined) {
    const { pieces, isEndless = false } = oddStream(input, good);
    return { kind, contentType, pieces, isEndless };
  }
  const events = [...good];
  const place = random.below(events.length);
  const odd = oddEvent(input, ODD_VALUES[kind]!(input));
  events.splice(place, random.below(2), odd);
  if (random.chance(0.2)) events.splice(random.below(events.length));
  return {
    kind: `a stream with ${kind}`,
    contentType,
    pieces: events.map(toBytes(input)),
    isEndless: false,
  };
}

interface OddStream {
  readonly pieces: Iterable<Buffer>;
  readonly isEndless?: boolean;
}

const ODD_STREAMS: Readonly<Record<string, (input: EventsInput, good: readonly string[]) => OddStream>> = {
  'an event without end': (input, good) => ({
    pieces: forever(input, `${good[0]}${grammarOf(input).endless}`, 'x'.repeat(65_536)),
    isEndless: true,
  }),
  'events without end': (input, good) => ({
    pieces: forever(input, good[0]!, good[1]!.repeat(input.random.between(1, 500))),
    isEndless: true,
  }),
  'odd events without end': (input, good) => ({
    pieces: forever(input, good[0]!, oddEvent(input, ODD_VALUES['another type']!(input)).repeat(200)),
    isEndless: true,
  }),
  'comments without end': (input, good) => ({
    pieces: forever(input, good[0]!, grammarOf(input).comment.repeat(1_000)),
    isEndless: true,
  }),
  'calls without end': (input, good) => ({
    pieces: forever(input, good[0]!, callEvent(input, 'tool_1', '{"a":').repeat(200)),
    isEndless: true,
  }),
  'a search without end': (input, good) => ({
    pieces: forever(
      input,
      `${good[0]}${callEvent(input, nameOf(input), '{"query":"')}`,
      argumentsEvent(input).repeat(500),
    ),
    isEndless: true,
  }),
  'a thousand searches': (input, good) => ({
    pieces: [good[0]!, callEvent(input, nameOf(input), '{"query":"x"}').repeat(1_000), ...good.slice(1)].map(
      toBytes(input),
    ),
  }),
  'a search and its end': (input, good) => ({
    pieces: [good[0]!, callEvent(input, nameOf(input), '{"query":"x"}'), ...good.slice(-2)].map(
      toBytes(input),
    ),
  }),
  'no events': (input) => ({
    pieces: [
      toBytes(input)(input.random.pick(['', '\n', '\r\r\r', ':', 'data', 'data:\n\n', '\ufeff', '\0'])),
    ],
  }),
  'bare returns': (input, good) => ({ pieces: [toBytes(input)(good.join('').replaceAll('\n', '\r'))] }),
  'ends of several kinds': (input, good) => ({
    pieces: good.flatMap((event) => [
      toBytes(input)(event),
      toBytes(input)(
        input.random.pick([
          '\r\n',
          '\r',
          '\n',
          'data: [DONE]\n\n',
          'event: message_stop\ndata: {"type":"message_stop"}\n\n',
          ']',
          ',',
        ]),
      ),
    ]),
  }),
  'events twice': (input, good) => ({ pieces: [...good, ...good].map(toBytes(input)) }),
  'events in any order': (input, good) => ({
    pieces: good
      .map((event) => ({ event, at: input.random.below(1_000_000) }))
      .sort((a, b) => a.at - b.at)
      .map(({ event }) => toBytes(input)(event)),
  }),
  'changed bytes': (input, good) => {
    const { random } = input;
    const bytes = toBytes(input)(good.join(''));
    for (let count = random.between(1, 20); count > 0; count--)
      bytes[random.below(bytes.length)] = random.below(256);
    return { pieces: [bytes] };
  },
  'an error within': (input, good) => ({
    pieces: [
      good[0]!,
      input.random.pick([
        'event: error\ndata: {"type":"error","error":{"type":"x","message":"y"}}\n\n',
        'data: {"error":"x"}\n\n',
        '{"error":"x"}\n',
        'event: error\n\n',
      ]),
    ].map(toBytes(input)),
  }),
};

function* forever(input: EventsInput, start: string, more: string): Generator<Buffer> {
  yield toBytes(input)(start);
  const piece = toBytes(input)(more);
  for (;;) yield piece;
}

const toBytes =
  (input: EventsInput) =>
  (text: string): Buffer =>
    Buffer.from(text, grammarOf(input).encoding ?? 'utf8');
