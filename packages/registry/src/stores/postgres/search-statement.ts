import type { AskedConcept } from '@winnow/ranking';
import type { EngineQuery } from '../../search/search-engine.ts';
import { lexeme } from './lexemes.ts';
import { MATCHED_SHARE } from './telling-terms.ts';

/**
 * What a term counts by where it stands, in the order of `ts_rank`: parameters, description, lead, name. Roughly what is left of the ranker's
 * own field weights when repeated words stop counting. None is above 1.
 */
const WEIGHTS = '{0.2,0.35,0.7,1}';

/** What a statement asks for. */
export interface SearchStatement {
  readonly scope: number;
  /** What matches, as the text of a `tsquery`. */
  readonly matching: string;
  /** The concepts that count. */
  readonly scored: readonly AskedConcept[];
  /** Any of the names that the query has, as the text of a `tsquery`; empty when no tool has one. */
  readonly names: string;
  readonly query: EngineQuery;
}

/** A statement with its parameters. */
interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
}

/**
 * One pass over what matches: it is scored by the terms' inverse document frequencies and places, and the best of it is given, as id and
 * score, and how many matched when `isCounted`: 0 otherwise, as counting keeps every row until the last one is there.
 * Each step is fenced by an `OFFSET 0`, so that nothing is worked out twice. All that is done for each of many thousand rows counts: what is not
 * asked for is left out, and numbers are floats, since Postgres takes constants with a point for decimals of any length.
 */
export function searchStatement(
  { scope, matching, scored, names, query: { filter, alsoIds, limit } }: SearchStatement,
  { isCounted }: { readonly isCounted: boolean },
): Statement {
  const exclude = filter.exclude ?? [];
  const gains = scored.map((concept, at) => `${gainOf(scope, concept)} AS c${at}`);
  const sum = scored.map((_, at) => `c${at}`).join(' + ');
  const matched = scored.map((_, at) => `(c${at} > 0)::integer`).join(' + ');
  const score =
    scored.length === 0
      ? '0::float8'
      : `(${sum}) * (1::float8 + ${MATCHED_SHARE}::float8 * (${matched}) / ${scored.length}::float8)`;
  const named = names === '' ? 'false' : `vector @@ ${literal(names)}::tsquery`;
  const isExcluded = exclude.length === 0 ? '' : 'AND id <> ALL($4)';
  const isWanted = `id = ANY($${exclude.length === 0 ? 4 : 5})`;
  const wantedFirst = alsoIds.length === 0 ? '' : `score = 'Infinity' DESC, ${isWanted} DESC,`;
  const text = `
    SELECT id, score, ${isCounted ? 'count(*) OVER ()' : '0'} AS total
    FROM (
      SELECT id, CASE WHEN named THEN 'Infinity'::float8 ELSE ${score} END AS score
      FROM (
        SELECT ${['id', `${named} AS named`, ...gains].join(', ')}
        FROM winnow_registry_search
        WHERE scope = $1 AND vector @@ $2::tsquery ${isExcluded}
        OFFSET 0
      ) gained
      OFFSET 0
    ) scored
    ORDER BY ${wantedFirst} score DESC, id
    LIMIT $3`;
  return { text, values: [scope, matching, limit, ...[exclude, alsoIds].filter((ids) => ids.length > 0)] };
}

/** Counts what matches, and scores nothing. */
export function countStatement({
  scope,
  matching,
  query: { filter },
}: Pick<SearchStatement, 'scope' | 'matching' | 'query'>): Statement {
  const { exclude = [] } = filter;
  const isExcluded = exclude.length === 0 ? '' : 'AND id <> ALL($3)';
  return {
    text: `SELECT count(*) AS total FROM winnow_registry_search WHERE scope = $1 AND vector @@ $2::tsquery ${isExcluded}`,
    values: [scope, matching, ...(exclude.length === 0 ? [] : [exclude])],
  };
}

/** What a tool gains by the best of a concept's terms. */
function gainOf(scope: number, { terms }: AskedConcept): string {
  const gains = terms.map(
    ({ term, gain }) =>
      `${gain.toFixed(4)}::float8 * ts_rank('${WEIGHTS}', vector, ${literal(lexeme(scope, 'term', term))}::tsquery)`,
  );
  return gains.length === 1 ? gains[0]! : `GREATEST(${gains.join(', ')})`;
}

/** A text of lexemes as a constant of SQL: plain characters and quotes alone, by the making of `lexeme`. */
function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
