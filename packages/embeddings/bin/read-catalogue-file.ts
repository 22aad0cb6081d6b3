import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Tool } from '@winnow/core';
import { readTool } from '@winnow/ranking';

/** A catalogue file that cannot be read; the message names the file and the line or element. */
export class CatalogueFileError extends Error {}

/** The position of a value, for messages: "tools.jsonl:7". */
type Place = string;

/**
 * Reads the tools of a JSON file: one per line, or all in one array. Blank lines are skipped.
 *
 * @throws CatalogueFileError if the file cannot be opened, is not JSON, or has a tool without a name.
 */
export async function readCatalogueFile(path: string): Promise<Tool[]> {
  const tools: Tool[] = [];
  let array: string[] | undefined;
  let number = 0;
  for await (const line of readLines(path)) {
    number += 1;
    const text = (number === 1 ? line.replace(/^\ufeff/, '') : line).trim();
    if (array !== undefined) array.push(line);
    else if (text.startsWith('[') && tools.length === 0) array = [text];
    else if (text !== '') tools.push(toTool(parseJson(text, `${path}:${number}`), `${path}:${number}`));
  }
  return array === undefined ? tools : readArray(path, array.join('\n'));
}

async function* readLines(path: string): AsyncGenerator<string> {
  const stream = createReadStream(path, 'utf8');
  try {
    yield* createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY });
  } catch (error) {
    throw new CatalogueFileError(`${path}: ${error instanceof Error ? error.message : String(error)}`);
  } finally {
    stream.destroy();
  }
}

function readArray(path: string, text: string): Tool[] {
  const values = parseJson(text, path);
  if (!Array.isArray(values)) throw new CatalogueFileError(`${path}: not an array of tools`);
  return values.map((value, index) => toTool(value, `${path}[${index}]`));
}

function parseJson(text: string, place: Place): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new CatalogueFileError(`${place}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function toTool(value: unknown, place: Place): Tool {
  const reading = readTool(value);
  if (reading.ok) return reading.tool;
  const { path, message } = reading;
  throw new CatalogueFileError(`${place}${path === '' ? '' : `, ${path}`}: ${message}`);
}
