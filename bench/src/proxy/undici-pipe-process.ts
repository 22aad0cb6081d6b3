/**
 * The bare pipe that the proxy is compared with, as a process: a `node:http` server and undici's client that
 * stream both bodies, pass on headers, and do no more. Its argument is the upstream's URL.
 */
import { createServer } from 'node:http';
import { Agent } from 'undici';
import { listenAsProcess } from './listen-as-process.ts';

/**
 * Headers of a single connection, and the host, which differs upstream:
 * https://www.rfc-editor.org/rfc/rfc9110#section-7.6.1
 */
const OF_ONE_CONNECTION: ReadonlySet<string> = new Set([
  'connection',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

const origin = process.argv[2]!;
const agent = new Agent({ headersTimeout: 0, bodyTimeout: 0 });

const server = createServer(
  { keepAliveTimeout: 65_000, noDelay: true, requestTimeout: 0 },
  (incoming, outgoing) => {
    const { method = 'GET', url: path = '/', rawHeaders } = incoming;
    const headers = passedOn(rawHeaders);
    agent
      .stream(
        {
          origin,
          path,
          method,
          headers,
          body: hasBody(rawHeaders) ? incoming : null,
          responseHeaders: 'raw',
        },
        // With `raw`, headers arrive as the original list of names and values.
        ({ statusCode, headers: raw }) => outgoing.writeHead(statusCode, passedOn(raw as never)),
      )
      .catch(() => outgoing.destroy());
  },
);
await listenAsProcess(server, 'bench pipe of undici');

/** Names and values in turn, without the headers of a single connection. */
function passedOn(raw: readonly (string | Buffer)[]): string[] {
  const headers: string[] = [];
  for (let at = 0; at < raw.length; at += 2) {
    const name = String(raw[at]);
    if (!OF_ONE_CONNECTION.has(name.toLowerCase())) headers.push(name, String(raw[at + 1]));
  }
  return headers;
}

/**
 * Reads the raw list: if Node made an object of the headers, that would cost more than the rest of this
 * pipe's work.
 */
function hasBody(rawHeaders: readonly string[]): boolean {
  return rawHeaders.some((name, at) => at % 2 === 0 && /^(content-length|transfer-encoding)$/i.test(name));
}
