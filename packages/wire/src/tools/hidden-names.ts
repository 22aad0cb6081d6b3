import { parseJson, readQueries } from '@winnow/core';
import type { BridgePlan, Plan, SearchCall, SearchTool, ToolCall, ToolSection } from '../format/view.ts';
import { isJsonObject, type JsonObject } from '../json/json-value.ts';
import { isReadable, parseArguments } from '../json/scan-json.ts';
import { rememberBy } from '../remember-by.ts';

/**
 * Names of the tools whose calls the proxy answers and the client does not see: the search tool, the bridge
 * tool for calls that cannot work, and the offered tools.
 *
 * Contract: never changes. A name that the client has declared is never one of them.
 */
export class HiddenNames {
  readonly #offered: readonly string[];
  readonly #all: readonly string[];
  readonly #declared: ReadonlySet<string>;
  #spellings: RegExp | undefined;

  constructor(
    searchTool: string | undefined,
    offered: readonly string[] = [],
    declared: ReadonlySet<string> = new Set(),
  ) {
    this.#offered = offered;
    this.#all = searchTool === undefined ? offered : [searchTool, ...offered];
    this.#declared = declared;
  }

  get isEmpty(): boolean {
    return this.#all.length === 0;
  }

  /** All names, the search tool's first. */
  get all(): readonly string[] {
    return this.#all;
  }

  /** An expression for every way to spell one of them; matches anything if there are none. */
  get spellings(): RegExp {
    this.#spellings ??= new RegExp(this.#all.map(spellingOf).join('|'), 'i');
    return this.#spellings;
  }

  /** Whether this is one of them, spelt exactly. */
  has(name: unknown): boolean {
    return this.#all.some((hidden) => hidden === name);
  }

  /**
   * Returns the one of them that a model means by a name: it may have another case or other separators, and
   * stand behind a prefix. Undefined if a tool of the client is spelt like that.
   */
  meantBy(name: string): string | undefined {
    if (this.has(name)) return name;
    if (this.#declared.has(name)) return undefined;
    const bare = bareName(name);
    if (this.has(bare)) return bare;
    const spelling = squeezed(bare);
    const meant = spelling === '' ? undefined : this.#all.find((hidden) => squeezed(hidden) === spelling);
    const isClients = (declared: string) => !this.has(declared) && squeezed(declared) === spelling;
    return meant === undefined || [...this.#declared].some(isClients) ? undefined : meant;
  }

  /** Whether a name that begins like this may mean one of them. */
  mayBegin(start: string): boolean {
    if (this.#all.some((hidden) => hidden.startsWith(start))) return true;
    if (this.#declared.has(start)) return false;
    const spelling = squeezed(bareName(start));
    return mayBeginPrefix(start) || this.#all.some((hidden) => squeezed(hidden).startsWith(spelling));
  }

  /** Whether a text contains one of them. */
  areIn(text: string): boolean {
    // A loop, because this runs for every piece of every stream.
    for (const hidden of this.#all) if (text.includes(hidden)) return true;
    return false;
  }

  /**
   * Reads a call of one of them: of the search tool with its queries, of any other with its arguments, given as
   * text or parsed.
   */
  readCall(call: ToolCall, given: unknown): SearchCall {
    if (!this.#offered.includes(call.name)) return { ...call, queries: queriesIn(given) };
    return { ...call, queries: [], input: readInput(given) };
  }
}

/** The parts of a plan that determine the hidden names. */
export type HidingPlan = Pick<Plan, 'searchTool' | 'offered'> &
  (Pick<BridgePlan, 'loadMode' | 'bridgeTool'> | { readonly loadMode: 'swap' | 'native' });

/** Returns the names that a request edited by this plan hides. `section` declares the client's tools. */
export function hiddenNames(plan: HidingPlan, section?: ToolSection): HiddenNames {
  const { searchTool, offered = NONE } = plan;
  const answered = plan.loadMode === 'bridge' ? answeredWith(plan.bridgeTool, offered) : offered;
  if (section !== undefined) return hiddenFrom(section, searchTool?.name, answered);
  return searchTool === undefined ? new HiddenNames(undefined, answered) : hiddenBy(searchTool, answered);
}

const NONE: readonly string[] = [];

const answeredWith = rememberBy(
  ({ name }: BridgePlan['bridgeTool'], offered: readonly string[]): readonly string[] => [...offered, name],
);

const hiddenFrom = rememberBy(
  (section: ToolSection, searchTool: string | undefined, answered: readonly string[]) =>
    new HiddenNames(searchTool, answered, declaredIn(section)),
);

const hiddenBy = rememberBy(
  ({ name }: SearchTool, answered: readonly string[]) => new HiddenNames(name, answered),
);

/** Returns the names of a section's entries. */
export const declaredIn = rememberBy(
  ({ entries }: ToolSection): ReadonlySet<string> => new Set(entries.flatMap(({ name }) => name ?? [])),
);

/** Whether a request edited by this plan hides calls from the client. */
export function hidesCalls({ searchTool, offered }: Pick<Plan, 'searchTool' | 'offered'>): boolean {
  return searchTool !== undefined || (offered !== undefined && offered.length > 0);
}

/** Reads the arguments of a call. Some models send none for a tool without parameters. */
function readInput(given: unknown): JsonObject | undefined {
  if (given === undefined || given === null || given === '') return {};
  const parsed = typeof given === 'string' ? parseArguments(given) : given;
  return isJsonObject(parsed) ? parsed : undefined;
}

/**
 * Returns the queries in the arguments of a search, given as text or parsed.
 *
 * Empty when they cannot be read: a model that is cut off sends half an object. Arguments that are no JSON at all are a
 * query, as some models write them.
 */
export function queriesIn(searchArguments: unknown): readonly string[] {
  if (typeof searchArguments !== 'string') return readQueries(searchArguments);
  if (!isReadable(searchArguments)) return [];
  const parsed = parseJson(searchArguments);
  if (parsed !== undefined) return readQueries(parsed);
  return /^\s*[[{"]/.test(searchArguments) ? [] : readQueries(searchArguments.replace(LABEL, ''));
}

/** The name of the parameter before a query that is no JSON. */
const LABEL = /^\s*quer(?:y|ies)\s*[:=]/i;

/** The namespaces that some models put before names of functions. */
const PREFIXES = ['function', 'functions', 'tool', 'tools', 'default_api'];
const PREFIX = new RegExp(`^(?:to=)?(?:(?:${PREFIXES.join('|')})[.:/]+)+`, 'i');

/** A token of a chat template that some servers leave behind a name. */
const TEMPLATE_TOKEN = /<\|.*/s;

/** The longest part of a name that is compared, in characters. */
const NAME_CHARS = 128;

/** Returns the name of a function as its tool is declared, without what models and servers put around it. */
export function bareName(name: string): string {
  return name.slice(0, NAME_CHARS).replace(TEMPLATE_TOKEN, '').trim().replace(PREFIX, '');
}

/** Whether a name that begins like this may have a prefix. */
function mayBeginPrefix(start: string): boolean {
  const begun = start.trim().toLowerCase();
  return PREFIXES.some((prefix) => prefix.startsWith(begun));
}

/** Returns an expression for the words of a name, with any separators. */
function spellingOf(name: string): string {
  const words = name.split(/[^\p{L}\p{N}]+|(?<=\p{Ll})(?=\p{Lu})/u).filter((word) => word !== '');
  return words.join('[^A-Za-z0-9]{0,2}');
}

/** Returns a name's letters and digits in lower case. */
export function squeezed(name: string): string {
  return name
    .slice(0, NAME_CHARS)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '');
}
