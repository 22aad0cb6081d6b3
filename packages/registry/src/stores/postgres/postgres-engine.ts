import type { AskedConcept } from '@winnow/ranking';
import type { Pool } from 'pg';
import { canonicalFilter } from '../../content/tool-filter.ts';
import type { EngineQuery, EngineResult, SearchEngine } from '../../search/search-engine.ts';
import { filterQueries, lexeme } from './lexemes.ts';
import { MATCHED_SHARE, scoredConcepts, TellingTerms } from './telling-terms.ts';

/** A row of a search. */
type Row = [id: string, score: number, total: string];

/** Score of a named tool, above all others. */
const NAMED = Number.POSITIVE_INFINITY;

/** The ordered terms of a query, the number to try first, and the match by the first terms. */
interface Telling {
  readonly telling: TellingTerms;
  readonly first: number;
  readonly matchingFirst: (count: number) => string;
}

/** Searches the tools of one scope with the full-text index of Postgres, over the ranker's terms. */
export class PostgresEngine implements SearchEngine {
  readonly name = 'postgres';
  readonly #pool: Pick<Pool, 'query'>;
  readonly #scope: number;

  constructor(pool: Pick<Pool, 'query'>, scope: number) {
    this.#pool = pool;
    this.#scope = scope;
  }

  async find(query: EngineQuery): Promise<EngineResult> {
    const scope = this.#scope;
    const filters = filterQueries(scope, canonicalFilter(query.filter), query.namespaces);
    if (filters === undefined) return { hits: [], totalMatches: 0 };
    // Most queries name no tool; then no row needs to be compared with the names.
    const names = (await this.#isAnyNamed(query.names)) ? anyName(scope, query.names) : '';
    const matching = matchingAny(
      [...query.concepts.map((concept) => anyTerm(scope, concept)), names],
      filters,
    );
    if (matching === undefined) return { hits: [], totalMatches: 0 };
    const scored = scoredConcepts(query.concepts);
    const whole: SearchStatement = { scope, matching, scored, names, query };
    const telling = new TellingTerms(scored);
    const first = telling.first(query.ranked, query.limit);
    // Wanted ids may match by any term, and the number of tools that pass a filter is unknown.
    if (first === telling.terms.length || query.alsoIds.length > 0 || filters.length > 0) {
      const rows = await this.#ask(whole, { isCounted: true });
      return resultOf(rows, Number(rows[0]?.[2] ?? 0));
    }
    const matchingFirst = (count: number) =>
      matchingAny([anyTerm(scope, { terms: telling.terms.slice(0, count) }), names], [])!;
    const [rows, total] = await Promise.all([
      this.#findTelling(whole, { telling, first, matchingFirst }),
      this.#count(whole),
    ]);
    return resultOf(rows, total);
  }

  /**
   * Finds the best of very many matches without scoring those with only the weakest terms. The exact best hits are the
   * same: the last of them scores more than any skipped match could, or more terms are tried.
   */
  async #findTelling(
    whole: SearchStatement,
    { telling, first, matchingFirst }: Telling,
  ): Promise<readonly Row[]> {
    const { ranked, limit } = whole.query;
    for (let count = first; count < telling.terms.length; ) {
      const rows = await this.#ask({ ...whole, matching: matchingFirst(count) }, { isCounted: false });
      const least = rows.length < limit ? 0 : rows[ranked - 1]![1];
      if (least > telling.mostWithout(count)) return rows;
      count = telling.enough(count + 1, least);
    }
    return this.#ask(whole, { isCounted: false });
  }

  async #ask(statement: SearchStatement, options: { readonly isCounted: boolean }): Promise<readonly Row[]> {
    const { text, values } = searchStatement(statement, options);
    return (await this.#pool.query<Row>({ text, values: [...values], rowMode: 'array' })).rows;
  }

  async #count(whole: SearchStatement): Promise<number> {
    const { text, values } = countStatement(whole);
    const { rows } = await this.#pool.query<{ total: string }>(text, [...values]);
    return Number(rows[0]!.total);
  }

  /** Whether any tool has one of these names, by one query to the index. */
  async #isAnyNamed(names: readonly string[]): Promise<boolean> {
    if (names.length === 0) return false;
    // Counts, because with LIMIT Postgres may choose a scan instead of the index.
    const { rows } = await this.#pool.query<{ named: string }>({
      text: 'SELECT count(*) AS named FROM winnow_registry_search WHERE scope = $1 AND vector @@ $2::tsquery',
      values: [this.#scope, anyName(this.#scope, names)],
    });
    return Number(rows[0]!.named) > 0;
  }
}

function resultOf(rows: readonly Row[], totalMatches: number): EngineResult {
  return {
    hits: rows.map(([id, score]) => ({ id, score: score === NAMED ? 0 : score, isNamed: score === NAMED })),
    totalMatches,
  };
}

/** Joins queries by OR and filters by AND; undefined when all queries are empty. */
function matchingAny(queries: readonly string[], filters: readonly string[]): string | undefined {
  const any = queries.filter((query) => query !== '').join('|');
  return any === '' ? undefined : [`(${any})`, ...filters].join('&');
}

/** Writes a query for any of the names. */
function anyName(scope: number, names: readonly string[]): string {
  return names.map((name) => lexeme(scope, 'name', name)).join('|');
}

/** Writes a query for any term of a concept. */
function anyTerm(scope: number, { terms }: AskedConcept): string {
  return terms.map(({ term }) => lexeme(scope, 'term', term)).join('|');
}

/**
 * Weights of a term's place, in the order of `ts_rank`: parameters, description, lead, name. They approximate the ranker's
 * field weights without repeated words. None is above 1.
 */
const WEIGHTS = '{0.2,0.35,0.7,1}';

/** Input of a search statement. */
interface SearchStatement {
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
function searchStatement(
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
function countStatement({
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
