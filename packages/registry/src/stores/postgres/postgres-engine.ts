import type { AskedConcept } from '@winnow/ranking';
import type { Pool } from 'pg';
import { canonicalFilter } from '../../content/tool-filter.ts';
import type { EngineQuery, EngineResult, SearchEngine } from '../../search/search-engine.ts';
import { filterQueries, lexeme } from './lexemes.ts';
import { countStatement, type SearchStatement, searchStatement } from './search-statement.ts';
import { scoredConcepts, TellingTerms } from './telling-terms.ts';

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
