import { BACKSLASH, FOREIGN, SIMPLE_ESCAPE, SIMPLE_ESCAPES } from './json-bytes.ts';
import { type JsonTape, NUMBER } from './json-tape.ts';
import type { PieceSink } from './piece-sink.ts';

/** Each ASCII character at its own place, for characters that stand nowhere as themselves. A Buffer, as are all bytes that sinks get. */
const ASCII: Buffer = Buffer.from(Uint8Array.from({ length: 128 }, (_, byte) => byte));

/** Writes a character of ASCII. */
export function writeCharacter(character: number, sink: PieceSink): void {
  sink.addAscii(ASCII, character, character + 1);
}

/** Writes what the node of a string, a key or a number comes to as a text. Makes no string of plain ASCII. */
export function writeText(tape: JsonTape, bytes: Buffer, node: number, sink: PieceSink): void {
  const start = tape.starts[node]!;
  const end = tape.ends[node]!;
  // Numbers are of use as they are written, or not at all.
  const marks = tape.kinds[node] === NUMBER ? 0 : tape.marks[node]!;
  if (marks === 0) sink.addAscii(bytes, start, end);
  else if (marks === SIMPLE_ESCAPE) writeEscaped(bytes, start, end, sink);
  else if (marks === FOREIGN) sink.addText(bytes.toString('utf8', start, end));
  else sink.addText(JSON.parse(bytes.toString('utf8', start - 1, end + 1)));
}

/** ASCII with escapes of one letter: what stands between them, and what they stand for. */
function writeEscaped(bytes: Buffer, start: number, end: number, sink: PieceSink): void {
  let from = start;
  for (let at = start; at < end; at++) {
    if (bytes[at] !== BACKSLASH) continue;
    if (at > from) sink.addAscii(bytes, from, at);
    writeCharacter(SIMPLE_ESCAPES[bytes[++at]!]!, sink);
    from = at + 1;
  }
  if (end > from) sink.addAscii(bytes, from, end);
}
