/**
 * The bare pipe that the proxy is measured against, a process of its own: a `node:http` server and undici's client, both bodies streamed,
 * headers passed on, and nothing else. Its argument is the upstream's URL.
 */
import { createServer } from 'node:http';
import { Agent } from 'undici';
import { listenAsProcess } from './listen-as-process.ts';

/** Headers that belong to one connection, and the host, which is another one's: https://www.rfc-editor.org/rfc/rfc9110#section-7.6.1 */
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
        // With `raw`, headers come as the list of names and values that they were.
        ({ statusCode, headers: raw }) => outgoing.writeHead(statusCode, passedOn(raw as never)),
      )
      .catch(() => outgoing.destroy());
  },
);
await listenAsProcess(server, 'bench pipe of undici');

/** Names and values in turn, without what belongs to one connection. */
function passedOn(raw: readonly (string | Buffer)[]): string[] {
  const headers: string[] = [];
  for (let at = 0; at < raw.length; at += 2) {
    const name = String(raw[at]);
    if (!OF_ONE_CONNECTION.has(name.toLowerCase())) headers.push(name, String(raw[at + 1]));
  }
  return headers;
}

/** Read off the raw list: to have Node make an object of the headers costs more than the rest of this pipe's own work. */
function hasBody(rawHeaders: readonly string[]): boolean {
  return rawHeaders.some((name, at) => at % 2 === 0 && /^(content-length|transfer-encoding)$/i.test(name));
}
