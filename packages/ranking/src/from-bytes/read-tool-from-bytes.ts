import { DOCUMENT_LIMITS } from '../tools/document.ts';
import { JsonTape, OBJECT } from './json-tape.ts';
import type { PieceSink } from './piece-sink.ts';
import { NO_TEXT, SchemaTexts, WHOLE } from './schema-texts.ts';
import { NO_NODE, ToolParts } from './tool-parts.ts';
import { writeCharacter, writeText } from './write-text.ts';

/** Used again for every tool; some 150 kB. Never in use when a call begins, as sinks do not read tools. */
const tape = new JsonTape();
const parts = new ToolParts();
const texts = new SchemaTexts();

/**
 * Reads the tool whose JSON starts at `start` and writes its texts to the sink: exactly those of `toDocument(readTool(JSON.parse(…)).tool)`,
 * without making an object of it. Gives the offset behind the tool.
 *
 * Undefined, with nothing written, for what is no JSON, for a tool with a fault, and for one that is out of the ordinary: larger than
 * `parameterChars` bytes or TAPE_LIMITS, with a text that would be cut, with keys that stand twice or hold escapes or numbers where that may make a
 * difference, with numbers among its texts that JavaScript writes in another way, or with a `$ref`. Such a tool has to be parsed. Never throws unless the sink does, and reads nothing behind the end of `bytes`.
 *
 * Cost: about 4 ms per megabyte of common tools, of which nothing is left as garbage but a string for every text that is not ASCII or has
 * `\u` in it.
 */
export function readToolFromBytes(bytes: Buffer, start: number, sink: PieceSink): number | undefined {
  const end = tape.read(bytes, start, start + DOCUMENT_LIMITS.parameterChars);
  if (end === undefined || !isOrdinaryTool(bytes)) return undefined;
  writePiece(bytes, parts.name, sink);
  writePiece(bytes, parts.description, sink);
  for (let parameter = WHOLE + 1; parameter < texts.count; parameter++) {
    writePiece(bytes, texts.names[parameter]!, sink);
    writeTexts(bytes, parameter, sink);
  }
  if (texts.firsts[WHOLE] !== NO_TEXT) {
    writePiece(bytes, NO_NODE, sink);
    writeTexts(bytes, WHOLE, sink);
  }
  return end;
}

/** Finds the parts and texts of the tool on the tape. */
function isOrdinaryTool(bytes: Buffer): boolean {
  if (tape.kinds[0] !== OBJECT || !parts.find(tape, bytes)) return false;
  const { description, schema } = parts;
  const length = description === NO_NODE ? 0 : tape.ends[description]! - tape.starts[description]!;
  if (length > DOCUMENT_LIMITS.textChars) return false;
  texts.clear();
  return schema === NO_NODE || texts.read(tape, bytes, schema);
}

function writePiece(bytes: Buffer, node: number, sink: PieceSink): void {
  if (node !== NO_NODE) writeText(tape, bytes, node, sink);
  sink.endPiece();
}

const NEW_LINE = 0x0a;

/** The texts of a parameter, a line each. */
function writeTexts(bytes: Buffer, parameter: number, sink: PieceSink): void {
  const first = texts.firsts[parameter]!;
  for (let text = first; text !== NO_TEXT; text = texts.nextTexts[text]!) {
    if (text !== first) writeCharacter(NEW_LINE, sink);
    writeText(tape, bytes, texts.texts[text]!, sink);
  }
  sink.endPiece();
}
