import type { AskedConcept } from '@winnow/ranking';
import type { EngineQuery } from '../../search/search-engine.ts';
import { lexeme } from './lexemes.ts';
import { MATCHED_SHARE } from './telling-terms.ts';

/**
 * Weights of a term's place, in the order of `ts_rank`: parameters, description, lead, name. They approximate the ranker's
 * field weights without repeated words. None is above 1.
 */
const WEIGHTS = '{0.2,0.35,0.7,1}';

/** Input of a search statement. */
export interface SearchStatement {
  readonly scope: number;
  /** The match condition, as the text of a `tsquery`. */
  readonly matching: string;
  /** The concepts that are scored. */
  readonly scored: readonly AskedConcept[];
  /** The names in the query, as the text of a `tsquery`; empty when no tool has one. */
  readonly names: string;
  readonly query: EngineQuery;
}

/** A statement with its parameters. */
interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
}

/**
 * Writes a statement that scores the matches by the inverse document frequencies and places of their terms, in one pass,
 * and returns the best by id and score. The total is 0 unless `isCounted`, as counting holds every row until the last.
 * Each step is fenced by `OFFSET 0`, so that nothing is computed twice. Work per row matters with many thousand rows:
 * unused parts are omitted, and constants are floats, as Postgres would otherwise compute with arbitrary-precision decimals.
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

/** Writes a statement that counts the matches without scoring them. */
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

/** Writes the score that a tool gains by the best term of a concept. */
function gainOf(scope: number, { terms }: AskedConcept): string {
  const gains = terms.map(
    ({ term, gain }) =>
      `${gain.toFixed(4)}::float8 * ts_rank('${WEIGHTS}', vector, ${literal(lexeme(scope, 'term', term))}::tsquery)`,
  );
  return gains.length === 1 ? gains[0]! : `GREATEST(${gains.join(', ')})`;
}

/** Writes lexemes as an SQL constant. Safe because `lexeme` writes only plain characters and quotes. */
function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
