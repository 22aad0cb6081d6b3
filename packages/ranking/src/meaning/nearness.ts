import { cosine, type Int8Vector } from './int8-vector.ts';
import type { MeaningVectors } from './meaning-source.ts';

/**
 * How near a tool is to a query: their cosine, or, for a query that asks for several things, the mean of that and its cosine with the sentence that it is nearest to. So a tool
 * that does one of these things in full stands before one that has a little to do with all.
 *
 * Undefined for a tool of another model.
 */
export function nearnessTo({
  query,
  sentences = [],
}: Pick<MeaningVectors, 'query' | 'sentences'>): (tool: Int8Vector) => number | undefined {
  return (tool) => {
    const whole = cosine(query, tool);
    const parts = sentences.map((sentence) => cosine(sentence, tool)).filter((part) => part !== undefined);
    return whole === undefined || parts.length === 0 ? whole : (whole + Math.max(...parts)) / 2;
  };
}
