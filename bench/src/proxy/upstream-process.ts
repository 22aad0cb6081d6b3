/**
 * The upstream of the bench, as a process: fixed bytes over plain sockets, with as little work per response
 * as Node allows. It shares the machine with the measured programs.
 *
 * The header `x-bench-answer` selects the response: see `AnswerKind`. Only a search reads the request.
 */
import { createServer, type Socket } from 'node:net';
import { ANSWERS, LONG_ANSWER } from './answers.ts';
import { HOSTILE_ANSWERS, type HostileAnswer } from './hostile-answers.ts';
import { listenAsProcess } from './listen-as-process.ts';
import { MessageReader } from './message-reader.ts';
import { type AnswerKind, BENCH_PATHS, type BenchFormat } from './requests.ts';

/** Text that a conversation contains once its search has a result. */
const TOOL_RESULT =
  /"role":"tool"|"type":"function_call_output"|"type":"tool_result"|"functionResponse"|"toolResult"/;

const ANSWER_HEADER = /\r\nx-bench-answer: *([^\r]*)/i;
const QUERY_HEADER = /\r\nx-bench-query: *([^\r]*)/i;

/** Pieces of a stream that are sent at once: the role, and the first text. */
const AT_ONCE = 2;

const DATE = 'Date: Sat, 21 Nov 2026 12:00:00 GMT';
const LAST_CHUNK = Buffer.from('0\r\n\r\n');

/** The bytes to write for one format. */
const WRITTEN = Object.entries(ANSWERS).map(([format, { whole, stream, search, streamType }]) => ({
  path: `POST ${BENCH_PATHS[format as BenchFormat]}`,
  whole: Buffer.concat([head('Content-Type: application/json', `Content-Length: ${whole.length}`), whole]),
  stream: inChunks(stream, streamType),
  search: (query: string) => inChunks(search(query), streamType),
}));

const LONG = inChunks(LONG_ANSWER);

const server = createServer({ noDelay: true }, (socket) => {
  let reader = new MessageReader();
  let pieces: Buffer[] = [];
  socket.on('error', () => socket.destroy());
  socket.on('data', (piece) => {
    reader.feed(piece);
    if (reader.head === '' || isSearch(reader.head)) pieces.push(piece);
    if (!reader.isComplete) return;
    respond(socket, reader.head, pieces);
    reader = new MessageReader();
    pieces = [];
  });
});
await listenAsProcess(server, 'bench upstream');

function respond(socket: Socket, requestHead: string, pieces: readonly Buffer[]): void {
  const kind = headerValue(ANSWER_HEADER, requestHead) as AnswerKind;
  const written = WRITTEN.find(({ path }) => requestHead.startsWith(path)) ?? WRITTEN[0]!;
  switch (kind) {
    case 'whole':
      socket.write(written.whole);
      break;
    case 'stream':
      writePieces(socket, written.stream);
      break;
    case 'long':
      writePieces(socket, LONG);
      break;
    case 'search':
    case 'long-search': {
      const isAnswered = TOOL_RESULT.test(Buffer.concat(pieces).toString('latin1'));
      const answer = kind === 'search' ? written.stream : LONG;
      writePieces(socket, isAnswered ? answer : written.search(headerValue(QUERY_HEADER, requestHead)));
      break;
    }
    case 'unending':
      // Together with the first text: a proxy may hold back a response without visible content.
      socket.write(Buffer.concat(written.stream.slice(0, AT_ONCE)));
      break;
    default:
      if (Object.hasOwn(HOSTILE_ANSWERS, kind)) {
        socket.write(hostileBytes(HOSTILE_ANSWERS[kind]));
        break;
      }
      socket.end('HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n');
  }
}

function hostileBytes({ isStream, write }: HostileAnswer): Buffer {
  const body = Buffer.from(write());
  const type = isStream ? 'text/event-stream' : 'application/json';
  return Buffer.concat([head(`Content-Type: ${type}`, `Content-Length: ${body.length}`), body]);
}

/** Writes one piece in each turn of the event loop, so that events leave one by one like a model's. */
function writePieces(socket: Socket, pieces: readonly Buffer[]): void {
  let next = 0;
  const writeNext = (): void => {
    if (socket.destroyed) return;
    socket.write(pieces[next]!);
    next += 1;
    if (next < pieces.length) setImmediate(writeNext);
  };
  writeNext();
}

/**
 * Returns a whole response in the pieces to write one by one: the head with the first event, the last chunk
 * with the last event.
 */
function inChunks(events: readonly Buffer[], type = 'text/event-stream; charset=utf-8'): Buffer[] {
  const start = head(`Content-Type: ${type}`, 'Transfer-Encoding: chunked');
  const chunks = events.map((event) =>
    Buffer.concat([Buffer.from(`${event.length.toString(16)}\r\n`), event, Buffer.from('\r\n')]),
  );
  const last = chunks.length - 1;
  return chunks.map((chunk, position) =>
    Buffer.concat([...(position === 0 ? [start] : []), chunk, ...(position === last ? [LAST_CHUNK] : [])]),
  );
}

function head(...headers: readonly string[]): Buffer {
  return Buffer.from(`${['HTTP/1.1 200 OK', DATE, ...headers].join('\r\n')}\r\n\r\n`);
}

function isSearch(requestHead: string): boolean {
  return headerValue(ANSWER_HEADER, requestHead).endsWith('search');
}

/** Returns the value of a header; empty if it is missing. */
function headerValue(header: RegExp, requestHead: string): string {
  return header.exec(requestHead)?.[1] ?? '';
}
