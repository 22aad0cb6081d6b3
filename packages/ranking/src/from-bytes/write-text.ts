import { BACKSLASH, FOREIGN, MINUS, NINE, SIMPLE_ESCAPE, SIMPLE_ESCAPES, ZERO } from './json-bytes.ts';
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
  if (tape.kinds[node] === NUMBER) {
    if (isWhole(bytes, start, end)) sink.addAscii(bytes, start, end);
    else sink.addText(numberText(bytes, start, end));
    return;
  }
  const marks = tape.marks[node]!;
  if (marks === 0) sink.addAscii(bytes, start, end);
  else if (marks === SIMPLE_ESCAPE) writeEscaped(bytes, start, end, sink);
  else if (marks === FOREIGN) sink.addText(bytes.toString('utf8', start, end));
  else sink.addText(JSON.parse(bytes.toString('utf8', start - 1, end + 1)));
}

/** Whether a number is longer as `String` writes it than where it stands, as 1e20 is. */
export function isLongerAsText(tape: JsonTape, bytes: Buffer, node: number): boolean {
  const start = tape.starts[node]!;
  const end = tape.ends[node]!;
  return !isWhole(bytes, start, end) && numberText(bytes, start, end).length > end - start;
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

/** No whole number of so many characters is beyond those that are exact. */
const MAX_EXACT_CHARS = 15;

/** Whether a number is written in digits alone, just as `String` writes it. */
function isWhole(bytes: Buffer, start: number, end: number): boolean {
  if (end - start > MAX_EXACT_CHARS) return false;
  let at = start;
  // -0 is written as 0.
  if (bytes[at] === MINUS && bytes[++at] === ZERO) return false;
  while (at < end && bytes[at]! >= ZERO && bytes[at]! <= NINE) at++;
  return at === end;
}

function numberText(bytes: Buffer, start: number, end: number): string {
  return String(Number(bytes.toString('latin1', start, end)));
}
