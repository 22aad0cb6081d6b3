import type { Random } from '../random.ts';
import type { HostileExchange } from './hostile-exchange.ts';
import { writeHead } from './hostile-head.ts';
import type { HostileTarget } from './hostile-target.ts';

/** Input for generating framings. */
interface FramingInput {
  readonly random: Random;
  readonly target: HostileTarget;
  readonly body: Buffer;
}

type Framing = (input: FramingInput) => Omit<HostileExchange, 'kind'>;

/** Wraps a body in bytes that break or stretch the rules of HTTP. */
export function generateHostileFraming(input: FramingInput): HostileExchange {
  const kind = input.random.pick(Object.keys(FRAMINGS));
  return { kind, ...FRAMINGS[kind]!(input) };
}

const wait = (...parts: readonly (string | Buffer)[]) => ({
  pieces: parts.map((part) => Buffer.from(part)),
  ending: 'wait' as const,
});

const withHead = ({ target, body }: FramingInput, ...headers: readonly string[]) =>
  wait(writeHead(target, headers), body);

const FRAMINGS: Readonly<Record<string, Framing>> = {
  'a length that is too large': (input) => ({
    ...withHead(input, `content-length: ${input.body.length + 1 + input.random.below(1e9)}`),
    ending: input.random.pick(['leave', 'half_close']),
  }),
  'a length that is too small': (input) =>
    withHead(input, `content-length: ${Math.max(0, input.body.length - input.random.between(1, 9))}`),
  'two lengths': (input) => withHead(input, `content-length: ${input.body.length}`, 'content-length: 1'),
  'an odd length': (input) =>
    withHead(
      input,
      `content-length: ${input.random.pick(['-1', '1e3', '0x10', '', ' ', '9'.repeat(40), '1,1'])}`,
    ),
  'a length and chunks': (input) =>
    withHead(input, 'content-length: 5', `transfer-encoding: ${input.random.pick(['chunked', 'identity'])}`),
  'an odd transfer encoding': (input) =>
    withHead(
      input,
      `transfer-encoding: ${input.random.pick(['xchunked', 'chunked, gzip', ' chunked', 'chunked;a'])}`,
    ),
  'tiny chunks': ({ target, body }) => {
    const chunks = Array.from(body.subarray(0, 20_000), (byte) => [0x31, 13, 10, byte, 13, 10]).flat();
    return wait(writeHead(target, ['transfer-encoding: chunked']), Buffer.from(chunks), '0\r\n\r\n');
  },
  'odd chunks': ({ random, target }) => {
    const chunk = random.pick([
      '-1\r\nx',
      'fffffffffffffffff\r\nx',
      'g\r\n',
      '1\nx',
      `1;${'a'.repeat(20_000)}\r\nx\r\n`,
    ]);
    return wait(writeHead(target, ['transfer-encoding: chunked']), chunk, '\r\n0\r\n\r\n');
  },
  'endless trailers': ({ target }) =>
    wait(writeHead(target, ['transfer-encoding: chunked']), '0\r\n', 'x: y\r\n'.repeat(5_000), '\r\n'),
  'endless headers': ({ random, target }) =>
    wait(
      writeHead(
        target,
        Array.from({ length: random.between(1, 40) }, (_, at) => `x-${at}: ${'y'.repeat(1_000)}`),
      ),
    ),
  'a head that never ends': ({ random, target }) => ({
    pieces: Array.from({ length: random.between(1, 30) }, () => Buffer.from(`x: ${target.path}\r\n`)),
    ending: 'leave',
  }),
  'broken headers': ({ random, target, body }) => {
    const header = random.pick([
      ' folded: a',
      'a\0b: c',
      'a b: c',
      ': c',
      'a: b\rc',
      'a: b\nc: d',
      'é: a',
      'a : b',
    ]);
    return wait(writeHead(target, ['a: b', header, `content-length: ${body.length}`]), body);
  },
  'bare line feeds': ({ target, body }) =>
    wait(writeHead(target, [`content-length: ${body.length}`]).replaceAll('\r\n', '\n'), body),
  'odd request lines': ({ random, target }) => {
    const line = random.pick([
      `CONNECT ${target.path} HTTP/1.1`,
      'CONNECT example.com:443 HTTP/1.1',
      `POST http://example.com${target.path} HTTP/1.1`,
      `POST ${target.path} HTTP/1.0`,
      `POST ${target.path} HTTP/9.9`,
      `POST ${target.path}`,
      `post ${target.path} HTTP/1.1`,
      `PURGE ${target.path} HTTP/1.1`,
      `TRACE ${target.path} HTTP/1.1`,
      `OPTIONS * HTTP/1.1`,
      `GET ${target.path} HTTP/1.1`,
      `GET //${'../'.repeat(50)}etc/passwd HTTP/1.1`,
      `GET /${'%00%ff%2e'.repeat(50)} HTTP/1.1`,
      `GET /${'a'.repeat(10_000)} HTTP/1.1`,
      'PRI * HTTP/2.0',
      'GET /\u00e9 HTTP/1.1',
      'GET / HTTP/1.1 HTTP/1.1',
    ]);
    return { ...wait(`${line}\r\nhost: a\r\nconnection: close\r\n\r\n`), ending: 'half_close' };
  },
  'no HTTP': ({ random }) =>
    wait(
      Buffer.from(Array.from({ length: random.between(1, 200) }, () => random.below(256))),
      '\r\n\r\n\r\n',
    ),
  'requests behind each other': ({ target, body }) => {
    const one = Buffer.concat([Buffer.from(writeHead(target, [`content-length: ${body.length}`])), body]);
    return wait(Buffer.concat([one, one, one]));
  },
  'bytes behind the end': ({ target, body }) =>
    wait(writeHead(target, [`content-length: ${body.length}`]), body, 'GET / HTTP/1.1\r\nbroken'),
  'a client that leaves': ({ target, body }) => ({
    ...wait(writeHead(target, [`content-length: ${body.length}`]), body),
    ending: 'leave',
  }),
  'one byte at a time': ({ target, body }) => {
    const bytes = Buffer.concat([Buffer.from(writeHead(target, [`content-length: ${body.length}`])), body]);
    return wait(...Array.from(bytes.subarray(0, 600), (byte) => Buffer.from([byte])), bytes.subarray(600));
  },
};
