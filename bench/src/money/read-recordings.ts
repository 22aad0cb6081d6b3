import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { InputError } from '../input-error.ts';
import type { SetTool } from '../retrieval/read-sets.ts';
import { readSets } from '../retrieval/read-sets.ts';
import type { ConversationLine } from '../sets/set-source.ts';

/** Recorded conversations with the tools that they call, and further tools to fill catalogues with. */
export interface Recordings {
  readonly conversations: readonly ConversationLine[];
  readonly tools: readonly SetTool[];
  readonly others: readonly SetTool[];
}

const RECORDED = 'tau-bench-airline';

/**
 * Reads the recorded conversations in a folder, and the tools of the other sets there; undefined if it has no
 * recordings.
 *
 * @param examples the folder that has the example catalogue.
 */
export function readRecordings(directory: string, examples: string): Recordings | undefined {
  const folder = join(directory, RECORDED);
  if (!existsSync(join(folder, 'conversations.jsonl'))) return undefined;
  const conversations = readLines<ConversationLine>(join(folder, 'conversations.jsonl'));
  const tools = readLines<SetTool>(join(folder, 'tools.jsonl'));
  const own = new Set(tools.map(({ name }) => name));
  const sets = [...readSets(examples, ['examples']), ...publicSets(directory)];
  const others = sets.flatMap((set) => set.tools).filter(({ name }) => !own.has(name) && isCallable(name));
  return { conversations, tools, others };
}

function publicSets(directory: string) {
  try {
    return readSets(directory);
  } catch (error) {
    if (error instanceof InputError) return [];
    throw error;
  }
}

/** Whether every provider takes the name; those of some sets have blanks and slashes. */
function isCallable(name: string): boolean {
  return /^[A-Za-z][\w-]{0,63}$/.test(name);
}

function readLines<Line>(file: string): Line[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line);
}

/**
 * Returns a catalogue of this size: the recorded tools, spread among others.
 *
 * @throws InputError if there are too few others.
 */
export function makeCatalogue({ tools, others }: Recordings, size: number): SetTool[] {
  const unique = [...new Map(others.map((tool) => [tool.name, tool])).values()];
  const wanted = size - tools.length;
  if (unique.length < wanted) {
    throw new InputError(`${size} tools need ${wanted} more than the recorded ones: fetch toollinkos, too`);
  }
  const catalogue = unique.slice(0, wanted);
  const gap = size / tools.length;
  for (const [at, tool] of tools.entries()) catalogue.splice(Math.floor(at * gap), 0, tool);
  return catalogue;
}
