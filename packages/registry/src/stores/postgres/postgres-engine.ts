import type { AskedConcept, TermPlace } from '@winnow/ranking';
import type { Pool } from 'pg';
import { canonicalFilter } from '../../content/tool-filter.ts';
import type { EngineQuery, EngineResult, SearchEngine } from '../../search/search-engine.ts';
import { filterQueries, LABELS, lexeme } from './lexemes.ts';

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
interface Row {
  readonly id: string;
  readonly score: number;
  readonly named: boolean;
  readonly total: string;
  readonly places: string;
}

const PLACES: readonly TermPlace[] = ['name', 'lead', 'description', 'parameters'];

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
    const names = query.names.map((name) => lexeme(scope, 'name', name)).join('|');
    const matching = [...terms, ...(names === '' ? [] : [names])].join('|');
    if (filters === undefined || matching === '') return { hits: [], totalMatches: 0 };
    const { rows } = await this.#pool.query<Row>(statementFor(scope, query.concepts, terms.join('|')), [
      scope,
      [`(${matching})`, ...filters].join('&'),
      names,
      query.filter.exclude ?? [],
      query.alsoIds,
      query.limit,
    ]);
    return {
      hits: rows.map(({ id, score, named, places }) => ({
        id,
        score,
        isNamed: named,
        places: PLACES.filter((place) => places.includes(LABELS[place])),
      })),
      totalMatches: Number(rows[0]?.total ?? 0),
    };
  }
}

/** The terms of a concept, any of them. */
function anyTerm(scope: number, { terms }: AskedConcept): string {
  return terms.map(({ term }) => lexeme(scope, 'term', term)).join('|');
}

/**
 * One pass over what matches: it is counted, scored by the terms' inverse document frequencies and places, and the best of it is given.
 * Each step is fenced by an `OFFSET 0`, so that nothing is worked out twice, and nothing wide is sorted.
 */
function statementFor(scope: number, concepts: readonly AskedConcept[], terms: string): string {
  const scored = concepts.slice(0, SCORED_CONCEPTS);
  const gains = scored.map((concept, at) => `${gainOf(scope, concept)} AS c${at}`);
  const sum = scored.map((_, at) => `c${at}`).join(' + ');
  const matched = scored.map((_, at) => `(c${at} > 0)::integer`).join(' + ');
  const score =
    scored.length === 0 ? '0' : `(${sum}) * (1 + ${MATCHED_SHARE}.0 * (${matched}) / ${scored.length})`;
  const places = PLACES.map((place) => LABELS[place]).map((label) => {
    const placed = terms.replaceAll(/'(?=$|\|)/g, `':${label}`);
    return terms === ''
      ? `''`
      : `CASE WHEN vector @@ ${literal(placed)}::tsquery THEN '${label}' ELSE '' END`;
  });
  return `
    SELECT best.id, best.score, best.named, best.total, ${places.join(' || ')} AS places
    FROM (
      SELECT id, named, score, count(*) OVER () AS total
      FROM (
        SELECT id, named, (${score})::float8 AS score
        FROM (
          SELECT ${['id', `$3 <> '' AND vector @@ $3::tsquery AS named`, ...gains].join(', ')}
          FROM winnow_registry_search
          WHERE scope = $1 AND vector @@ $2::tsquery AND id <> ALL($4)
          OFFSET 0
        ) gained
        OFFSET 0
      ) scored
      ORDER BY named DESC, id = ANY($5) DESC, CASE WHEN named THEN 0 ELSE score END DESC, id
      LIMIT $6
    ) best
    JOIN winnow_registry_search ON scope = $1 AND winnow_registry_search.id = best.id
    ORDER BY named DESC, best.id = ANY($5) DESC, CASE WHEN named THEN 0 ELSE score END DESC, best.id`;
}

/** What a tool gains by the best of a concept's terms. */
function gainOf(scope: number, { terms }: AskedConcept): string {
  const gains = terms
    .toSorted((left, right) => right.gain - left.gain)
    .slice(0, SCORED_TERMS)
    .map(
      ({ term, gain }) =>
        `${gain.toFixed(4)} * ts_rank('${WEIGHTS}', vector, ${literal(lexeme(scope, 'term', term))}::tsquery)`,
    );
  return gains.length === 1 ? gains[0]! : `GREATEST(${gains.join(', ')})`;
}

/** A text of lexemes as a constant of SQL: plain characters and quotes alone, by the making of `lexeme`. */
function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
