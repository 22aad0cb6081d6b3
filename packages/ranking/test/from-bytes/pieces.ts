import type { PieceSink } from '../../src/from-bytes/piece-sink.ts';
import { readToolFromBytes } from '../../src/from-bytes/read-tool-from-bytes.ts';
import { readTool, toDocument } from '../../src/index.ts';

/** Keeps pieces as strings, and throws where it is given what is not ASCII as such. */
export class PieceList implements PieceSink {
  readonly pieces: string[] = [];
  /** The piece that is not whole yet. */
  open = '';

  addAscii(bytes: Uint8Array, start: number, end: number): void {
    const text = Buffer.from(bytes.subarray(start, end)).toString('latin1');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the range is ASCII itself.
    if (/[^\x00-\x7f]/.test(text) || text.length !== end - start) throw new RangeError('no ASCII');
    this.open += text;
  }

  addText(text: string): void {
    this.open += text;
  }

  endPiece(): void {
    this.pieces.push(this.open);
    this.open = '';
  }
}

/** The pieces of a tool as parsing it gives them; undefined for what is no tool. */
export function parsedPieces(bytes: Buffer): string[] | undefined {
  const reading = readTool(parsed(bytes));
  if (!reading.ok) return undefined;
  const { name, description, parameters } = toDocument(reading.tool);
  return [name, description, ...parameters.flatMap((parameter) => [parameter.name, parameter.text])];
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch {
    return undefined;
  }
}

/** What was read from bytes. */
export interface FromBytes {
  readonly pieces: string[];
  /** The bytes that it was read from, up to the end that was given. */
  readonly tool: Buffer;
}

/**
 * Reads the tool that stands at the beginning of some bytes, between others; undefined when it is given up on. Throws when something is written all
 * the same, or a piece is left open.
 */
export function readBetweenOthers(start: Buffer): FromBytes | undefined {
  const list = new PieceList();
  const end = readToolFromBytes(Buffer.concat([BEFORE, start, BEHIND]), BEFORE.length, list);
  if (list.open !== '') throw new Error(`a piece is open: ${list.open}`);
  if (end !== undefined) return { pieces: list.pieces, tool: start.subarray(0, end - BEFORE.length) };
  if (list.pieces.length > 0) throw new Error('given up on, but written');
  return undefined;
}

/** The pieces of one tool as they are read from its bytes; undefined when it is given up on. Throws when more or less than the tool was read. */
export function piecesFromBytes(tool: Buffer): string[] | undefined {
  const read = readBetweenOthers(tool);
  if (read !== undefined && !read.tool.equals(tool)) throw new Error(`ends at ${read.tool.length}`);
  return read?.pieces;
}

const BEFORE = Buffer.from('[{"name":"before"},');
const BEHIND = Buffer.from(',{"name":"behind"}]');
