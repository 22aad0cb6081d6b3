import { RecentMap } from '@winnow/service';
import { type LoadMode, type RequestView, rememberBy, type ToolSection } from '@winnow/wire';
import { countMatches, matcherOf } from '../config/name-pattern.ts';
import { isBasicTool } from './basic-tools.ts';
import { isInteractionTool } from './interaction-tools.ts';
import { NamesInTexts } from './names-in-texts.ts';

/** The conditions for deferral besides the request itself. */
export interface DeferralRules {
  /** The names from `deferrableTools`. */
  readonly deferrable: readonly string[];
  /** Names that the history loads, in load order. */
  readonly loaded: readonly string[];
  readonly loadMode: LoadMode;
}

/** Rules for tools that are never deferred, besides those by their kind. */
export interface KeepRules {
  /** Names, or globs with `*` and `?`. */
  readonly alwaysKeep: readonly string[];
  /** Maximum number of tools to keep because the system prompt names them. */
  readonly maxNamed: number;
}

/** The tools of a request that may be deferred. */
export interface Deferrable {
  /** In the client's order, each once. */
  readonly names: readonly string[];
  /** Size of their definitions in the request. */
  readonly bytes: number;
}

/**
 * Returns the tools that may be deferred: plain functions that no rule keeps, that the system prompt does not
 * name, and that are not in `preloaded`.
 *
 * Depends only on the tools, the rules, the system prompt and `preloaded`, so that the result is the same in
 * every turn of a conversation.
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

/** Names that the tools' kinds and the settings allow to be deferred. */
const plainNames = rememberBy(({ entries }: ToolSection, alwaysKeep: readonly string[]) => {
  const isAlwaysKept = matcherOf(alwaysKeep);
  const kept = new Set<string>();
  for (const entry of entries) {
    const { name, kind, isCacheMarked } = entry;
    // Entries with the same name stay together, so one that must stay keeps the others.
    if (name === undefined) continue;
    const isPlain = kind === 'function' && !isCacheMarked && !isOverlong(name);
    if (!isPlain || isInteractionTool(name) || isBasicTool(entry) || isAlwaysKept(name)) kept.add(name);
  }
  const names = entries.flatMap(({ name }) => (name === undefined || kept.has(name) ? [] : name));
  return [...new Set(names)];
});

/**
 * Returns the number of tool names that each name or glob of `always_keep` matches; undefined without any.
 */
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

/** Longest system prompt that is remembered, in characters: agents send the same one in every turn. */
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

/** Maximum number of selections to keep per list of tools: conversations begin differently. */
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
 * Returns the names that the system prompt mentions. A prompt with very many names is a list of tools: then
 * only names that it repeats count, most frequent first.
 */
const namedMost = rememberBy(
  (counts: ReadonlyMap<string, number>, plain: readonly string[], maxNamed: number): readonly string[] => {
    const named = plain.filter((name) => counts.has(name));
    if (named.length <= maxNamed) return named;
    const repeated = named.filter((name) => counts.get(name)! > 1);
    return repeated.sort((left, right) => counts.get(right)! - counts.get(left)!).slice(0, maxNamed);
  },
);

/**
 * Longest name to defer. No provider accepts more than 128 characters; judging a longer name is left to the
 * upstream, and it would bloat the search tool.
 */
const MAX_NAME_CHARS = 256;

function isOverlong(name: string): boolean {
  return name.length > MAX_NAME_CHARS;
}

/**
 * Returns the names to defer in this turn, in the client's order, including loaded ones.
 *
 * A tool that `tool_choice` names keeps its place unless it is loaded: a loaded tool is visible anyway and
 * stays where it was appended, so that the bytes before it do not change. Tools called in the history are
 * loaded or stay deferred.
 */
export function namesToDefer(
  view: RequestView,
  { deferrable, loaded, loadMode }: DeferralRules,
): readonly string[] {
  if (view.toolChoice.names.length === 0) return deferrable;
  const isLoaded = new Set(loaded);
  const isNamed = new Set(view.toolChoice.names);
  return deferrable.filter((name) => {
    // A tool that must be called has to be a plain one in native mode, where deferred tools are only marked.
    return !isNamed.has(name) || (loadMode === 'swap' && isLoaded.has(name));
  });
}
