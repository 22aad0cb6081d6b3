import { z } from 'zod';
import type { SearchOutcome } from './search-outcome.ts';

/** The parts of a response that are validated; the rest is ignored. */
const Selection = z.object({
  selected_names: z.array(z.string()),
  no_match: z.boolean().optional(),
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
  if (parsed.data.no_match === true) return { ok: true, names, isNoMatch: true };
  if (given.length === 0) return { ok: false, reason: 'empty_selection' };
  if (names.length === 0) return { ok: false, reason: 'unknown_selection_names' };
  return { ok: true, names, isNoMatch: false };
}

/**
 * Returns the first `limit` names. Names to keep are never cut; they take the slots of other names, but not
 * the first one.
 */
function cut(names: readonly string[], limit: number, alwaysKeep: ReadonlySet<string>): string[] {
  const keptCount = names.filter((name) => alwaysKeep.has(name)).length;
  let room = Math.max(limit - keptCount, 1);
  return names.filter((name) => alwaysKeep.has(name) || room-- > 0);
}
