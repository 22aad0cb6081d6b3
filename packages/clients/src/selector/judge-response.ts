import { z } from 'zod';
import type { SearchOutcome } from './search-outcome.ts';

/** The parts of a response that are validated; the rest is ignored. */
const Selection = z.object({
  selected_names: z.array(z.string()),
  no_match: z.boolean().optional(),
  // Missing in responses of older selectors, and of others that speak this contract.
  certainty: z.string().optional(),
  unknown_words: z.array(z.string()).optional(),
  tool_references: z.array(z.object({ tool_name: z.string(), relevance_score: z.number() })).optional(),
});

/** The bounds for judging a response. */
export interface ResponseBounds {
  /** Names that were sent. */
  readonly known: ReadonlySet<string>;
  /** Maximum number of names to accept. */
  readonly limit: number;
  /** Names that are never cut if the selector returns them. */
  readonly alwaysKeep: readonly string[];
}

/**
 * Judges the parsed JSON body of a selector's response.
 *
 * Unknown names and repetitions are dropped, the order is kept, and only the best `limit` names remain. A
 * body that is not a selection is an `api_error`.
 */
export function judgeResponse(body: unknown, { known, limit, alwaysKeep }: ResponseBounds): SearchOutcome {
  const parsed = Selection.safeParse(body);
  if (!parsed.success) return { ok: false, reason: 'api_error' };
  const given = [...new Set(parsed.data.selected_names)];
  const names = cut(
    given.filter((name) => known.has(name)),
    limit,
    new Set(alwaysKeep),
  );
  const { certainty, unknown_words: unknown = [], tool_references: references } = parsed.data;
  const unknownWords = unknown.slice(0, MOST_WORDS).map((word) => word.slice(0, MOST_WORD_CHARS));
  const told = unknownWords.length > 0 ? { unknownWords } : {};
  if (parsed.data.no_match === true) return { ok: true, names, isNoMatch: true, ...told };
  if (given.length === 0) return { ok: false, reason: 'empty_selection' };
  if (names.length === 0) return { ok: false, reason: 'unknown_selection_names' };
  if (certainty === 'weak') return { ok: true, names, isNoMatch: false, isWeak: true, ...told };
  const scoreOf = new Map(references?.map((one) => [one.tool_name, one.relevance_score]));
  const scores = names.map((name) => scoreOf.get(name));
  const isScored = scores.every((score) => score !== undefined);
  return { ok: true, names, isNoMatch: false, ...(isScored && { scores }) };
}

/** Bounds on the unknown words of a response, which a model reads. */
const MOST_WORDS = 8;
const MOST_WORD_CHARS = 40;

/**
 * Returns the first `limit` names. Names to keep are never cut; they take the slots of other names, but not
 * the first one.
 */
function cut(names: readonly string[], limit: number, alwaysKeep: ReadonlySet<string>): string[] {
  const keptCount = names.filter((name) => alwaysKeep.has(name)).length;
  let room = Math.max(limit - keptCount, 1);
  return names.filter((name) => alwaysKeep.has(name) || room-- > 0);
}
