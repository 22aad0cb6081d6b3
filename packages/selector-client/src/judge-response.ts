import { z } from 'zod';
import type { SearchOutcome } from './search-outcome.ts';

/** What must be right about a response; the rest of it is not looked at. */
const Selection = z.object({
  selected_names: z.array(z.string()),
  no_match: z.boolean().optional(),
});

/** What a response is judged against. */
export interface ResponseBounds {
  /** Names that were sent. */
  readonly known: ReadonlySet<string>;
  /** Most names to take. */
  readonly limit: number;
  /** Names that are never cut, if the selector gives them. */
  readonly alwaysKeep: readonly string[];
}

/**
 * What the body of a selector's response, parsed from JSON, is worth.
 *
 * Unknown names are ignored, repeated ones count once, the order is kept, and of more than `limit` names the best stay. A body
 * that does not have the form of a selection is `api_error`.
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

/** The first `limit` names, where names to keep take slots of the others but never the first one, nor are cut themselves. */
function cut(names: readonly string[], limit: number, alwaysKeep: ReadonlySet<string>): string[] {
  const keptCount = names.filter((name) => alwaysKeep.has(name)).length;
  let room = Math.max(limit - keptCount, 1);
  return names.filter((name) => alwaysKeep.has(name) || room-- > 0);
}
