import { cosine, type Int8Vector } from './int8-vector.ts';
import type { MeaningVectors } from './meaning-source.ts';

/**
 * Returns the nearness of a tool to a query: their cosine or, for a query that asks for several things, the
 * mean of that and the cosine with the nearest sentence. A tool that does one of these things completely then
 * ranks above one that is slightly related to all of them.
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
