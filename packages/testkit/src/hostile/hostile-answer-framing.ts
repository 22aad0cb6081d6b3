import type { Random } from '../random.ts';
import type { HostileAnswer } from './hostile-answer.ts';

/** Input for generating framings. */
interface AnswerInput {
  readonly random: Random;
  readonly headers: readonly string[];
  readonly body: Buffer;
}

type Framing = (input: AnswerInput) => Omit<HostileAnswer, 'kind'>;

/** Wraps the body of a response in HTTP, valid most of the time. */
export function generateAnswerFraming(input: AnswerInput): HostileAnswer {
  const kind = input.random.chance(0.6) ? 'a length' : input.random.pick(Object.keys(FRAMINGS));
  return { kind, ...FRAMINGS[kind]!(input) };
}

const write = (status: string, headers: readonly string[], ...body: readonly Buffer[]) => ({
  pieces: [Buffer.from(`HTTP/1.1 ${status}\r\n${headers.join('\r\n')}\r\n\r\n`, 'latin1'), ...body],
  ending: 'end' as const,
});

const sized = ({ headers, body }: AnswerInput, more: readonly string[] = [], status = '200 OK') =>
  write(status, [...headers, ...more, `content-length: ${body.length}`], body);

const CHUNKED = 'transfer-encoding: chunked';

const FRAMINGS: Readonly<Record<string, Framing>> = {
  'a length': (input) => sized(input),
  'chunks of any size': ({ random, headers, body }) => {
    const chunks: Buffer[] = [];
    for (let at = 0; at < body.length && chunks.length < 5_000; ) {
      const chunk = body.subarray(at, at + random.between(1, chunks.length > 2_000 ? body.length : 3_000));
      chunks.push(Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from('\r\n'));
      at += chunk.length;
    }
    return write('200 OK', [...headers, CHUNKED], ...chunks, Buffer.from('0\r\n\r\n'));
  },
  'an end that is the connection’s': ({ headers, body }) => write('200 OK', headers, body),
  'a length that is too large': ({ random, headers, body }) => ({
    ...write('200 OK', [...headers, `content-length: ${body.length + random.between(1, 1e9)}`], body),
    ending: random.pick(['end', 'reset']),
  }),
  'a length that is too small': ({ headers, body }) =>
    write('200 OK', [...headers, `content-length: ${Math.max(0, body.length - 5)}`], body),
  'an odd length': ({ random, headers, body }) =>
    write(
      '200 OK',
      [...headers, `content-length: ${random.pick(['-1', '1e3', '0x10', '', '9'.repeat(40), '1,1'])}`],
      body,
    ),
  'a length and chunks': ({ headers, body }) =>
    write('200 OK', [...headers, `content-length: ${body.length}`, CHUNKED], body),
  'odd chunks': ({ random, headers }) =>
    write(
      '200 OK',
      [...headers, CHUNKED],
      Buffer.from(random.pick(['-1\r\nx', 'fffffffffffffffff\r\nx', 'g\r\n', '1\nx', '5\r\nab'])),
    ),
  'endless trailers': ({ headers, body }) =>
    write(
      '200 OK',
      [...headers, CHUNKED],
      Buffer.from(`${body.length.toString(16)}\r\n`),
      body,
      Buffer.from(`\r\n0\r\n${'x: y\r\n'.repeat(5_000)}\r\n`),
    ),
  'a connection that breaks': (input) => {
    const { pieces } = sized(input);
    const all = Buffer.concat(pieces);
    return { pieces: [all.subarray(0, input.random.below(all.length))], ending: 'reset' };
  },
  'a thousand interim responses': (input) => {
    const { pieces } = sized(input);
    const interim = Buffer.from('HTTP/1.1 103 Early Hints\r\nlink: a\r\n\r\n'.repeat(1_000));
    return { pieces: [interim, ...pieces], ending: 'end' };
  },
  'endless headers': (input) =>
    sized(
      input,
      Array.from({ length: input.random.between(1, 60) }, (_, at) => `x-${at}: ${'y'.repeat(1_000)}`),
    ),
  'broken headers': (input) =>
    sized(input, [
      input.random.pick(['a b: c', ': c', 'a\0b: c', 'é: a', 'a: \u0001', 'set-cookie: \xff\xfe']),
    ]),
  'headers of a connection': (input) =>
    sized(input, [
      'connection: content-length, content-type',
      'upgrade: h2c',
      'keep-alive: timeout=0',
      'te: x',
    ]),
  'an odd status': (input) =>
    sized(
      input,
      [],
      input.random.pick(['000 No', '99 No', '204 No', '205 No', '304 No', '299 Odd', '999 No', '600']),
    ),
  'a redirect': (input) =>
    sized(input, ['location: http://127.0.0.1:1/'], input.random.pick(['301 M', '307 T'])),
  'an error status': (input) =>
    sized(
      input,
      ['retry-after: 99999999999'],
      input.random.pick(['400 No', '401 No', '422 No', '429 No', '500 No', '529 No']),
    ),
  'no HTTP': ({ random }) => ({
    pieces: [Buffer.from(Array.from({ length: random.between(1, 200) }, () => random.below(256)))],
    ending: 'end',
  }),
  'two answers': (input) => {
    const { pieces } = sized(input);
    return { pieces: [...pieces, ...pieces], ending: 'end' };
  },
};
