import type { AskedConcept } from '@winnow/ranking';
import type { Pool } from 'pg';
import { canonicalFilter } from '../../content/tool-filter.ts';
import type { EngineQuery, EngineResult, SearchEngine } from '../../search/search-engine.ts';
import { filterQueries, lexeme } from './lexemes.ts';
import { countStatement, type SearchStatement, searchStatement } from './search-statement.ts';
import { scoredConcepts, TellingTerms } from './telling-terms.ts';

/** A row as it is read. */
type Row = [id: string, score: number, total: string];

/** Stands for the score of a tool that is named: above all others. */
const NAMED = Number.POSITIVE_INFINITY;

/** Where to begin with the terms of a query, and what matches by the first of them. */
interface Telling {
  readonly telling: TellingTerms;
  readonly first: number;
  readonly matchingFirst: (count: number) => string;
}

/** Searches the tools of one scope by the full-text index of Postgres, over the ranker's own terms. */
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
    // Most queries name no tool; where none does, not every row that matches need be asked for all of the names.
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
    // Ids that are wanted may match by any of the terms, and how many tools pass a filter is not known.
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
   * The best of very many, without scoring those that have only the weakest terms, as most of what matches does. Those that are to be
   * ranked are the same: the last of them scores more than any of the others could, or more terms are taken.
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

  /** Whether some tool has any of these names: one question to the index. */
  async #isAnyNamed(names: readonly string[]): Promise<boolean> {
    if (names.length === 0) return false;
    // Counted, as Postgres may take the first of few rows for quickly found without the index.
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

/** The text of a query for any of these, each empty or itself one, that passes the filters; undefined when it asks for nothing. */
function matchingAny(queries: readonly string[], filters: readonly string[]): string | undefined {
  const any = queries.filter((query) => query !== '').join('|');
  return any === '' ? undefined : [`(${any})`, ...filters].join('&');
}

/** The names of a query, any of them. */
function anyName(scope: number, names: readonly string[]): string {
  return names.map((name) => lexeme(scope, 'name', name)).join('|');
}

/** The terms of a concept, any of them. */
function anyTerm(scope: number, { terms }: AskedConcept): string {
  return terms.map(({ term }) => lexeme(scope, 'term', term)).join('|');
}
