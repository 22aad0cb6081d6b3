import type { Random } from '../random.ts';
import type { AnswerShape } from './answer-shapes.ts';
import type { HostileAnswer } from './hostile-answer.ts';
import { generateAnswerFraming } from './hostile-answer-framing.ts';
import { encodeHostile } from './hostile-encoding.ts';
import { type HostileEvents, writeEvents, writeWhole } from './hostile-events.ts';

/** Input for generating one response. */
export interface HostileAnswerOptions {
  /** The request's format. */
  readonly shape: AnswerShape;
  readonly isStream: boolean;
  /** Approximate maximum size of a body, in bytes; a compressed body may unpack to ten times as many. */
  readonly size: number;
  /**
   * A tool name that the client does not know; undefined if the request does not contain it, so that the
   * upstream cannot know it.
   */
  readonly searchToolName: string | undefined;
}

/**
 * Generates one hostile response: hostile events or a hostile body, in valid HTTP or not, encoded or not.
 *
 * Deterministic: the same state of `random` gives the same bytes.
 */
export function generateHostileAnswer(random: Random, options: HostileAnswerOptions): HostileAnswer {
  // An upstream may stream when the client did not ask for a stream, and vice versa.
  const isStream = random.chance(0.1) ? !options.isStream : options.isStream;
  const input = { random, ...options, size: random.between(1, options.size) };
  const body = isStream ? writeEvents(input) : writeWhole(input);
  if (body.isEndless) return endless(body);
  const bytes = Buffer.concat([...body.pieces]);
  const encoded = random.chance(0.25)
    ? encodeHostile(random, bytes, options.size * 10)
    : { kind: 'plain', bytes, encoding: undefined };
  const headers = [
    `content-type: ${body.contentType}`,
    ...(encoded.encoding === undefined ? [] : [`content-encoding: ${encoded.encoding}`]),
  ];
  const framing = generateAnswerFraming({ random, headers, body: encoded.bytes });
  return { ...framing, kind: `${body.kind}, ${encoded.kind}, ${framing.kind}` };
}

/** Endless chunks, as long as the other side reads. */
function endless({ kind, contentType, pieces }: HostileEvents): HostileAnswer {
  const head = `HTTP/1.1 200 OK\r\ncontent-type: ${contentType}\r\ntransfer-encoding: chunked\r\n\r\n`;
  return { kind, pieces: inChunks(head, pieces), ending: 'silence' };
}

function* inChunks(head: string, pieces: Iterable<Buffer>): Generator<Buffer> {
  yield Buffer.from(head);
  for (const piece of pieces) {
    yield Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n')]);
  }
}
