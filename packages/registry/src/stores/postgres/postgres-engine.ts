import type { AskedConcept } from '@winnow/ranking';
import type { Pool } from 'pg';
import { canonicalFilter } from '../../content/tool-filter.ts';
import type { EngineQuery, EngineResult, SearchEngine } from '../../search/search-engine.ts';
import { filterQueries, lexeme } from './lexemes.ts';

/** Concepts that are scored, and terms of each, the most telling first; the others only let a tool match. */
const SCORED_CONCEPTS = 10;
const SCORED_TERMS = 3;

/**
 * What a term counts by where it stands, in the order of `ts_rank`: parameters, description, lead, name. Roughly what is left of the ranker's
 * own field weights when repeated words stop counting.
 */
const WEIGHTS = '{0.2,0.35,0.7,1}';

/** As the ranker's `matchedShare`: how much more a tool counts that has all that is asked for. */
const MATCHED_SHARE = 2;

/** A row as it is read. */
type Row = [id: string, score: number, total: string];

/** Stands for the score of a tool that is named: above all others. */
const NAMED = Number.POSITIVE_INFINITY;

/** Searches the tools of one scope by the full-text index of Postgres, over the ranker's own terms. */
export class PostgresEngine implements SearchEngine {
  readonly name = 'postgres';
  readonly #pool: Pool;
  readonly #scope: number;

  constructor(pool: Pool, scope: number) {
    this.#pool = pool;
    this.#scope = scope;
  }

  async find(query: EngineQuery): Promise<EngineResult> {
    const scope = this.#scope;
    const filters = filterQueries(scope, canonicalFilter(query.filter), query.namespaces);
    const terms = query.concepts.map((concept) => anyTerm(scope, concept));
    if (filters === undefined) return { hits: [], totalMatches: 0 };
    // Most queries name no tool; where none does, not every row that matches need be asked for all of the names.
    const names = (await this.#isAnyNamed(query.names)) ? anyName(scope, query.names) : '';
    const matching = [...terms, ...(names === '' ? [] : [names])].join('|');
    if (matching === '') return { hits: [], totalMatches: 0 };
    const { rows } = await this.#pool.query<Row>({
      text: statementFor(scope, query, names),
      values: [scope, [`(${matching})`, ...filters].join('&'), query.limit, ...listsOf(query)],
      rowMode: 'array',
    });
    return {
      hits: rows.map(([id, score]) => ({ id, score: score === NAMED ? 0 : score, isNamed: score === NAMED })),
      totalMatches: Number(rows[0]?.[2] ?? 0),
    };
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

/** The names of a query, any of them. */
function anyName(scope: number, names: readonly string[]): string {
  return names.map((name) => lexeme(scope, 'name', name)).join('|');
}

/** The parameters behind the third: those that there are. */
function listsOf({ filter: { exclude = [] }, alsoIds }: EngineQuery): readonly (readonly string[])[] {
  return [exclude, alsoIds].filter((ids) => ids.length > 0);
}

/** The terms of a concept, any of them. */
function anyTerm(scope: number, { terms }: AskedConcept): string {
  return terms.map(({ term }) => lexeme(scope, 'term', term)).join('|');
}

/**
 * One pass over what matches: it is counted, scored by the terms' inverse document frequencies and places, and the best of it is given.
 * Each step is fenced by an `OFFSET 0`, so that nothing is worked out twice. All that is done for each of many thousand rows counts: what is not
 * asked for is left out, and numbers are floats, since Postgres takes constants with a point for decimals of any length.
 */
function statementFor(
  scope: number,
  { concepts, filter: { exclude = [] }, alsoIds }: EngineQuery,
  names: string,
): string {
  const scored = concepts.slice(0, SCORED_CONCEPTS);
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
  return `
    SELECT id, score, count(*) OVER () AS total
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
}

/** What a tool gains by the best of a concept's terms. */
function gainOf(scope: number, { terms }: AskedConcept): string {
  const gains = terms
    .toSorted((left, right) => right.gain - left.gain)
    .slice(0, SCORED_TERMS)
    .map(
      ({ term, gain }) =>
        `${gain.toFixed(4)}::float8 * ts_rank('${WEIGHTS}', vector, ${literal(lexeme(scope, 'term', term))}::tsquery)`,
    );
  return gains.length === 1 ? gains[0]! : `GREATEST(${gains.join(', ')})`;
}

/** A text of lexemes as a constant of SQL: plain characters and quotes alone, by the making of `lexeme`. */
function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
