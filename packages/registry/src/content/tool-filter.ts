import { hash } from 'node:crypto';
import { normalizeTag } from '../model/check-registration.ts';
import { canonicalJson, isSameJson, type Json, type JsonObject } from '../model/json.ts';
import type { BackendKind, StoredTool } from '../model/tool.ts';

/** The namespaces that a caller may see, search and change. */
export interface Sight {
  /** Whether a namespace is in sight; the empty text stands for no namespace. */
  sees(namespace: string): boolean;
  /** Identifies the sight; cursors and kept results are bound to it. */
  readonly key: string;
}

/** The sight of all namespaces. */
export const SEES_ALL: Sight = { sees: () => true, key: '' };

/**
 * Creates a sight limited to namespaces. In a glob, `*` stands for any characters and `?` for one. Only `*` includes
 * tools without a namespace. Without globs, nothing is in sight.
 */
export function sightOf(globs: readonly string[]): Sight {
  if (globs.includes('*')) return SEES_ALL;
  const sorted = [...new Set(globs)].sort();
  const known = new Map<string, boolean>();
  return {
    key: hash('sha256', JSON.stringify(sorted)).slice(0, 16),
    sees(namespace) {
      const seen = known.get(namespace) ?? sorted.some((glob) => matchesGlob(glob, namespace));
      if (known.size < MAX_KNOWN) known.set(namespace, seen);
      return seen;
    },
  };
}

/** Returns the intersection of two sights. */
export function intersectSights(left: Sight, right: Sight): Sight {
  if (left.key === '') return right;
  if (right.key === '') return left;
  return {
    sees: (namespace) => left.sees(namespace) && right.sees(namespace),
    key: `${left.key}&${right.key}`,
  };
}

/** Most cached namespaces of one sight. */
const MAX_KNOWN = 10_000;

/** Whether a glob matches the whole text: `*` stands for any characters, `?` for one. Takes O(glob × text) time. */
export function matchesGlob(glob: string, text: string): boolean {
  let [at, place] = [0, 0];
  // The position of the last star, and the end of the text that it covers so far.
  let [star, taken] = [-1, 0];
  while (place < text.length) {
    if (glob[at] === '*') {
      [star, taken] = [at, place];
      at++;
    } else if (at < glob.length && (glob[at] === '?' || glob[at] === text[place])) {
      at++;
      place++;
    } else if (star >= 0) {
      taken++;
      [at, place] = [star + 1, taken];
    } else {
      return false;
    }
  }
  while (glob[at] === '*') at++;
  return at === glob.length;
}

/** Filter of a list or a search; every given condition must hold. */
export interface ToolFilter {
  /** Any of these namespaces; the empty text stands for tools without one. */
  readonly namespaces?: readonly string[];
  /** Any of these tags. */
  readonly tags?: readonly string[];
  /** All of these tags. */
  readonly tagsAll?: readonly string[];
  /** A backend on any of these MCP servers. */
  readonly servers?: readonly string[];
  /** A backend of any of these kinds. */
  readonly kinds?: readonly BackendKind[];
  /** Annotations with exactly these values; annotations of untrusted servers count as missing. */
  readonly annotations?: Readonly<Record<string, Json>>;
  /** Ids of excluded tools. */
  readonly exclude?: readonly string[];
  /** A category of the tool, as `categoriesOf` returns it. */
  readonly category?: string;
}

/** Returns the canonical form of a filter, in which equal filters have equal texts. */
export function canonicalFilter(filter: ToolFilter): ToolFilter {
  const sorted = (values: readonly string[]) => [...new Set(values)].sort();
  const { namespaces, tags, tagsAll, servers, kinds, annotations, exclude, category } = filter;
  return {
    ...(namespaces && { namespaces: sorted(namespaces) }),
    ...(tags && { tags: sorted(tags.map(normalizeTag)) }),
    ...(tagsAll && { tagsAll: sorted(tagsAll.map(normalizeTag)) }),
    ...(servers && { servers: sorted(servers) }),
    ...(kinds && { kinds: sorted(kinds) as BackendKind[] }),
    ...(annotations && { annotations }),
    ...(exclude && { exclude: sorted(exclude) }),
    ...(category !== undefined && { category }),
  };
}

/** Returns a key of a filter and a sight, equal exactly for equal filters and sights. */
export function filterKey(filter: ToolFilter, sight: Sight): string {
  return hash('sha256', canonicalJson([canonicalFilter(filter), sight.key])).slice(0, 32);
}

/** Compiles a filter to a test for tools; undefined when every tool passes. */
export function compileFilter(filter: ToolFilter, sight: Sight): ((tool: StoredTool) => boolean) | undefined {
  const { namespaces, tags, tagsAll, servers, kinds, annotations, exclude, category } =
    canonicalFilter(filter);
  const tests: ((tool: StoredTool) => boolean)[] = [];
  if (sight.key !== '') tests.push((tool) => sight.sees(tool.namespace));
  const allow = (values: readonly string[] | undefined, of: (tool: StoredTool) => readonly string[]) => {
    if (values === undefined) return;
    const allowed = new Set(values);
    tests.push((tool) => of(tool).some((value) => allowed.has(value)));
  };
  allow(namespaces, (tool) => [tool.namespace]);
  allow(tags, (tool) => tool.tags);
  allow(servers, (tool) => tool.backends.map((backend) => (backend.kind === 'mcp' ? backend.server : '')));
  allow(kinds, (tool) => tool.backends.map((backend) => backend.kind));
  if (tagsAll !== undefined) tests.push((tool) => tagsAll.every((tag) => tool.tags.includes(tag)));
  if (annotations !== undefined) tests.push((tool) => hasAnnotations(tool, annotations));
  if (exclude !== undefined) {
    const excluded = new Set(exclude);
    tests.push((tool) => !excluded.has(tool.id));
  }
  if (category !== undefined) tests.push((tool) => categoriesOf(tool).includes(category));
  if (tests.length === 0) return undefined;
  return (tool) => tests.every((test) => test(tool));
}

function hasAnnotations(tool: StoredTool, wanted: Readonly<Record<string, Json>>): boolean {
  const known = believedAnnotations(tool);
  return Object.entries(wanted).every(
    ([name, value]) => Object.hasOwn(known, name) && isSameJson(known[name], value),
  );
}

/** Returns the annotations of a tool that are trusted; none for an untrusted server. */
function believedAnnotations({ annotations, hasTrustedAnnotations }: StoredTool): JsonObject {
  return hasTrustedAnnotations ? annotations : {};
}

/** First words of names that name an action, not a subject. */
const VERBS: ReadonlySet<string> = new Set(
  'add append apply archive assign batch build call cancel check clear clone close compare connect convert copy count create delete describe disable download edit enable execute export fetch find generate get import insert invite is list load lookup mark merge move open post publish pull push put query read remove rename replace reset resolve restart retrieve run save schedule search select send set share show start stop submit subscribe sync test track trigger update upload validate verify view write'.split(
    ' ',
  ),
);

/**
 * Returns the categories of a tool: its tags; without tags, its namespace; without either, the first word of a name of
 * several words, unless it is a verb. Otherwise none.
 */
export function categoriesOf({ tags, namespace, name }: StoredTool): readonly string[] {
  if (tags.length > 0) return tags;
  if (namespace !== '') return [namespace];
  const [first = '', ...rest] = name.split(/[_.-]+/).filter(Boolean);
  const prefix = first.toLowerCase();
  return rest.length === 0 || VERBS.has(prefix) ? [] : [prefix];
}
