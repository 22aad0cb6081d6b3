import { createRandom, type Random } from './random.ts';
import type { GeneratedTool } from './tool-shapes.ts';
import { FIELDS, VERBS } from './vocabulary.ts';

export interface GenerateQueriesOptions {
  readonly count: number;
  readonly seed: number;
}

const REQUESTS = new Map(VERBS);

/**
 * Writes short queries as a language model types them into a search tool, each about one of the tools: three
 * to six words, half of them with a verb other than the tool's own. `tools` come from `generateTools` and
 * must not be empty.
 */
export function generateQueries(
  tools: readonly GeneratedTool[],
  { count, seed }: GenerateQueriesOptions,
): string[] {
  const random = createRandom(seed);
  return Array.from({ length: count }, () => generateQuery(random, random.pick(tools)));
}

function generateQuery(random: Random, tool: GeneratedTool): string {
  const words = tool.name.split(/_+/);
  const start = words.findIndex((word) => REQUESTS.has(word));
  const [verb = 'find', ...thing] = words.slice(start);
  const request = random.chance(0.5) ? verb : (REQUESTS.get(verb) ?? verb);
  const tail = random.pick(['', `by ${random.pick(FIELDS)}`, 'in bulk', `with ${random.pick(FIELDS)}`]);
  return [request, ...thing, tail].join(' ').trim();
}
