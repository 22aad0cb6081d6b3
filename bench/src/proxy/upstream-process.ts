/**
 * The upstream of the bench, a process of its own: fixed bytes, and as little work as Node can do for an answer.
 *
 * The header `x-bench-answer` says what to answer with: see `AnswerKind`. Only a search looks into the request.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { STREAMED_ANSWER, streamedSearch, WHOLE_ANSWER } from './answers.ts';
import { listenAsProcess } from './listen-as-process.ts';
import type { AnswerKind } from './requests.ts';

/** What a conversation has in it when its search was answered. */
const TOOL_RESULT = '"role":"tool"';

const server = createServer(async (incoming, outgoing) => {
  const kind = incoming.headers['x-bench-answer'] as AnswerKind;
  switch (kind) {
    case 'whole':
      await skipBody(incoming);
      outgoing.writeHead(200, {
        'content-type': 'application/json',
        'content-length': WHOLE_ANSWER.length,
      });
      outgoing.end(WHOLE_ANSWER);
      break;
    case 'stream':
      await skipBody(incoming);
      writeEvents(outgoing, STREAMED_ANSWER);
      break;
    case 'search': {
      const body = await readBody(incoming);
      const query = String(incoming.headers['x-bench-query']);
      writeEvents(outgoing, body.includes(TOOL_RESULT) ? STREAMED_ANSWER : streamedSearch(query));
      break;
    }
    case 'unending':
      await skipBody(incoming);
      beginStream(outgoing);
      outgoing.write(STREAMED_ANSWER[0]);
      break;
    default:
      kind satisfies never;
      outgoing.writeHead(400).end();
  }
});
await listenAsProcess(server, 'bench upstream');

function skipBody(incoming: IncomingMessage): Promise<void> {
  incoming.resume();
  return new Promise((resolve) => incoming.once('end', resolve));
}

async function readBody(incoming: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  incoming.on('data', (piece: Buffer) => pieces.push(piece));
  await new Promise((resolve) => incoming.once('end', resolve));
  return Buffer.concat(pieces);
}

function beginStream(outgoing: ServerResponse): void {
  outgoing.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
}

/** One event in each turn of the event loop, so that they leave one by one as a model's do. */
function writeEvents(outgoing: ServerResponse, events: readonly Buffer[]): void {
  beginStream(outgoing);
  let next = 0;
  const writeNext = (): void => {
    if (outgoing.destroyed) return;
    outgoing.write(events[next]);
    next += 1;
    if (next < events.length) setImmediate(writeNext);
    else outgoing.end();
  };
  writeNext();
}
