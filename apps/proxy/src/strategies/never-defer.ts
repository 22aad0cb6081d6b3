import { RecentMap } from '@winnow/service';
import { type LoadMode, type RequestView, rememberBy, type ToolSection } from '@winnow/wire';
import { isInteractionTool } from './interaction-tools.ts';
import { countMatches, matcherOf } from './name-pattern.ts';
import { NamesInTexts } from './names-in-texts.ts';

/** What decides, apart from the request itself. */
export interface DeferralRules {
  /** What `deferrableTools` gives. */
  readonly deferrable: readonly string[];
  /** Names that the history loads, in load order. */
  readonly loaded: readonly string[];
  readonly loadMode: LoadMode;
}

/** Which tools are never deferred, apart from what their own nature says. */
export interface KeepRules {
  /** Names, or globs with `*` and `?`. */
  readonly alwaysKeep: readonly string[];
  /** Most tools that are kept because the system prompt names them. */
  readonly maxNamed: number;
}

/** The tools of a request that may be deferred. */
export interface Deferrable {
  /** In the client's order, each once. */
  readonly names: readonly string[];
  /** What their definitions take in the request. */
  readonly bytes: number;
}

/**
 * The tools that may be deferred: plain functions that nobody asked to keep, that the system prompt does not name, and that are not in
 * `preloaded`.
 *
 * Follows from the tools, the rules, the system prompt and `preloaded` alone, so that it is the same on every turn of a conversation.
 */
export function deferrableTools(
  { toolSection, systemTexts }: RequestView,
  { alwaysKeep, maxNamed }: KeepRules,
  preloaded: readonly string[] = [],
): Deferrable {
  if (toolSection === undefined) return NOTHING;
  const plain = plainNames(toolSection, alwaysKeep);
  const counts = countsIn(toolSection, plain, systemTexts);
  const kept = [...namedMost(counts, plain, maxNamed), ...preloaded];
  return choicesOf(toolSection, plain).getOrAdd(JSON.stringify(kept), () =>
    without(toolSection, plain, kept),
  );
}

const NOTHING: Deferrable = { names: [], bytes: 0 };

/** Names that a tool's own nature and the settings allow to defer. */
const plainNames = rememberBy(({ entries }: ToolSection, alwaysKeep: readonly string[]) => {
  const isAlwaysKept = matcherOf(alwaysKeep);
  const kept = new Set<string>();
  for (const { name, kind, isCacheMarked } of entries) {
    // Entries of one name stay together, so one that must stay keeps the others.
    if (name === undefined) continue;
    const isPlain = kind === 'function' && !isCacheMarked && !isOverlong(name);
    if (!isPlain || isInteractionTool(name) || isAlwaysKept(name)) kept.add(name);
  }
  const names = entries.flatMap(({ name }) => (name === undefined || kept.has(name) ? [] : name));
  return [...new Set(names)];
});

/** For each name or glob of `always_keep`, how many names of the request's tools it fits; undefined without any. */
export function keptByPattern(
  { toolSection }: RequestView,
  alwaysKeep: readonly string[],
): Readonly<Record<string, number>> | undefined {
  return toolSection === undefined || alwaysKeep.length === 0
    ? undefined
    : matchesOf(toolSection, alwaysKeep);
}

const matchesOf = rememberBy(({ entries }: ToolSection, alwaysKeep: readonly string[]) =>
  Object.fromEntries(
    countMatches(
      alwaysKeep,
      entries.flatMap(({ name }) => name ?? []),
    ),
  ),
);

const searchedNames = rememberBy((_: ToolSection, names: readonly string[]) => new NamesInTexts(names));

/** Characters of a system prompt up to which it is held to be known again: agents send the same one on every turn. */
const MAX_KNOWN_CHARS = 256 * 1024;

function countsIn(
  section: ToolSection,
  names: readonly string[],
  texts: readonly string[],
): ReadonlyMap<string, number> {
  const characters = texts.reduce((sum, text) => sum + text.length, 0);
  const count = characters > MAX_KNOWN_CHARS ? countNames : countKnownNames;
  return count(section, names, texts);
}

function countNames(
  section: ToolSection,
  names: readonly string[],
  texts: readonly string[],
): ReadonlyMap<string, number> {
  return searchedNames(section, names).count(texts);
}

const countKnownNames = rememberBy(countNames);

/** Selections that are held for one list of tools: conversations begin in different ways. */
const MAX_CHOICES = 32;

const choicesOf = rememberBy(
  (_: ToolSection, _plain: readonly string[]) => new RecentMap<string, Deferrable>(MAX_CHOICES),
);

function without({ entries }: ToolSection, plain: readonly string[], kept: readonly string[]): Deferrable {
  const isKept = new Set(kept);
  const names = plain.filter((name) => !isKept.has(name));
  const isDeferrable = new Set(names);
  let bytes = 0;
  for (const { name, text } of entries) {
    if (name !== undefined && isDeferrable.has(name)) bytes += Buffer.byteLength(text);
  }
  return { names, bytes };
}

/**
 * Names that the system prompt says. A prompt that names very many lists its tools rather than speaking of them: then only those count that
 * it names again, most often first.
 */
const namedMost = rememberBy(
  (counts: ReadonlyMap<string, number>, plain: readonly string[], maxNamed: number): readonly string[] => {
    const named = plain.filter((name) => counts.has(name));
    if (named.length <= maxNamed) return named;
    const repeated = named.filter((name) => counts.get(name)! > 1);
    return repeated.sort((left, right) => counts.get(right)! - counts.get(left)!).slice(0, maxNamed);
  },
);

/** No provider takes names of more than 128 characters. A longer one is the upstream's to judge, and would swell the search tool. */
const MAX_NAME_CHARS = 256;

function isOverlong(name: string): boolean {
  return name.length > MAX_NAME_CHARS;
}

/**
 * Names to defer on this turn, in the client's order, the loaded ones included.
 *
 * A tool that `tool_choice` names is kept at its place unless it is loaded: a loaded tool is visible anyway and stays where it was appended, so
 * that the bytes before it do not change. What the history calls is loaded, or stays deferred.
 */
export function namesToDefer(
  view: RequestView,
  { deferrable, loaded, loadMode }: DeferralRules,
): readonly string[] {
  if (view.toolChoice.names.length === 0) return deferrable;
  const isLoaded = new Set(loaded);
  const isNamed = new Set(view.toolChoice.names);
  return deferrable.filter((name) => {
    // A tool that must be called has to be a plain one where deferred ones are only marked.
    return !isNamed.has(name) || (loadMode === 'swap' && isLoaded.has(name));
  });
}
