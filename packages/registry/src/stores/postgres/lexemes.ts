import { hash } from 'node:crypto';
import { type DocumentTerm, type TermPlace, termsOf } from '@winnow/ranking';
import { categoriesOf } from '../../content/tool-categories.ts';
import { believedAnnotations, type ToolFilter } from '../../content/tool-filter.ts';
import { canonicalJson } from '../../model/json.ts';
import type { StoredTool } from '../../model/tool.ts';
import { toolDocument } from '../../search/tool-document.ts';

/**
 * Kinds of lexemes: a term of the ranker, a name, or a value of a filter.
 *
 * All searchable properties of a tool are lexemes of one `tsvector`, so a search is one query to one index. Each lexeme
 * begins with the number of its scope, so tools of other tenants cost nothing and never match.
 */
type LexemeKind = 'term' | 'name' | 'namespace' | 'tag' | 'server' | 'kind' | 'annotation' | 'category';

const PREFIXES: Readonly<Record<LexemeKind, string>> = {
  term: 't',
  name: 'x',
  namespace: 'n',
  tag: 'g',
  server: 's',
  kind: 'k',
  annotation: 'a',
  category: 'c',
};

/** Texts that never need escaping; a lexeme may have 2 KiB. */
const PLAIN = /^[A-Za-z0-9_.:-]{0,200}$/;

/** Labels of places in a `tsvector`; `ts_rank` takes their weights in the order D, C, B, A. */
const LABELS: Readonly<Record<TermPlace, string>> = {
  name: 'A',
  lead: 'B',
  description: 'C',
  parameters: 'D',
};

/** Writes a quoted lexeme; other than plain values are replaced by their digests. */
export function lexeme(scope: number, kind: LexemeKind, value: string): string {
  const text = PLAIN.test(value) ? value : `#${hash('sha256', value).slice(0, 32)}`;
  return `'${scope}.${PREFIXES[kind]}:${text}'`;
}

/** Returns the lexemes of each tool as the text of a `tsvector`. */
export function toVectors(scope: number, tools: readonly StoredTool[]): readonly string[] {
  const documents = tools.map(toolDocument);
  const terms = termsOf(documents);
  return tools.map((tool, at) => {
    const names = [tool.name, ...(documents[at]!.aliases ?? [])];
    const parts = [
      ...terms[at]!.map((term) => placed(scope, term)),
      ...new Set(names.map((name) => lexeme(scope, 'name', name.toLowerCase()))),
      ...filterValuesOf(tool).map(([kind, value]) => lexeme(scope, kind, value)),
    ];
    return parts.join(' ');
  });
}

function placed(scope: number, { term, place }: DocumentTerm): string {
  return `${lexeme(scope, 'term', term)}:1${LABELS[place]}`;
}

function filterValuesOf(tool: StoredTool): readonly (readonly [LexemeKind, string])[] {
  return [
    ['namespace', tool.namespace],
    ...tool.tags.map((tag) => ['tag', tag] as const),
    ...tool.backends.map(({ kind }) => ['kind', kind] as const),
    ...tool.backends.map((backend) => ['server', serverOf(backend)] as const),
    ...Object.entries(believedAnnotations(tool)).map(
      ([name, value]) => ['annotation', annotation(name, value)] as const,
    ),
    ...categoriesOf(tool).map((category) => ['category', category] as const),
  ];
}

/** Returns the server of a backend as `compileFilter` reads it; empty for other kinds. */
function serverOf(backend: StoredTool['backends'][number]): string {
  return backend.kind === 'mcp' ? backend.server : '';
}

function annotation(name: string, value: unknown): string {
  return canonicalJson([name, value]);
}

/** Converts a canonical filter to queries that must all hold; undefined when nothing can pass. */
export function filterQueries(
  scope: number,
  { namespaces, tags, tagsAll = [], servers, kinds, annotations = {}, category }: ToolFilter,
  inSight: readonly string[] | undefined,
): readonly string[] | undefined {
  const queries: string[] = [];
  let isPossible = true;
  const anyOf = (kind: LexemeKind, values: readonly string[] | undefined) => {
    if (values === undefined) return;
    if (values.length === 0) isPossible = false;
    else queries.push(`(${values.map((value) => lexeme(scope, kind, value)).join('|')})`);
  };
  anyOf('namespace', namespaces);
  anyOf('namespace', inSight);
  anyOf('tag', tags);
  anyOf('server', servers);
  anyOf('kind', kinds);
  for (const tag of tagsAll) anyOf('tag', [tag]);
  for (const [name, value] of Object.entries(annotations)) anyOf('annotation', [annotation(name, value)]);
  if (category !== undefined) anyOf('category', [category]);
  return isPossible ? queries : undefined;
}
