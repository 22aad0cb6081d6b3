import { moreLines, resultText } from '@winnow/core';
import type { RequestView, Round, SearchResult, ToolSection } from '../format/view.ts';
import { rememberBy } from '../remember-by.ts';

/**
 * A search result in its kept form: only names, without any text of the client's tools. Its text is written
 * again for every request, from the tools of that request. The result of another call keeps its own text.
 */
export interface KeptResult {
  readonly callId: string;
  readonly kind: SearchResult['kind'];
  readonly names: readonly string[];
  readonly unknownWords?: readonly string[];
  readonly doubts?: readonly {
    readonly query: string;
    readonly names: readonly string[];
    readonly unknownWords: readonly string[];
  }[];
  readonly next?: readonly string[];
  readonly text?: string;
  readonly isError?: true;
}

/** The declared tools that results refer to. */
export interface DeclaredTools {
  has(name: string): boolean;
  /** Returns the description of a tool; undefined for a name that is not declared. */
  get(name: string): string | undefined;
  /** Returns the text of a result for the model. Names that are not declared are left out. */
  textOf(result: KeptResult): string;
  /** Returns the lines on other tools than those that it found. */
  moreOf(result: KeptResult): readonly string[];
}

/** Returns the tools of a request; for a duplicate name, the first description. */
export function declaredTools({ toolSection }: RequestView): DeclaredTools {
  return toolSection === undefined ? NONE : declaredIn(toolSection);
}

const declaredIn = rememberBy(({ entries }: ToolSection): DeclaredTools => {
  const descriptions = new Map<string, string>();
  for (const { name, description } of entries) {
    if (name !== undefined && !descriptions.has(name)) descriptions.set(name, description);
  }
  return toDeclared(descriptions);
});

const NONE = toDeclared(new Map());

function toDeclared(descriptions: ReadonlyMap<string, string>): DeclaredTools {
  return {
    has: (name) => descriptions.has(name),
    get: (name) => descriptions.get(name),
    textOf: (result) => textOf(result, descriptions),
    moreOf: (result) => moreLines(moreOf(result, descriptions)),
  };
}

function textOf(result: KeptResult, descriptions: ReadonlyMap<string, string>): string {
  const { kind, names, unknownWords, text } = result;
  if (text !== undefined) return text;
  const tools = toolsNamed(names, descriptions);
  const isLeft = tools.length > 0 || (kind !== 'found' && kind !== 'weak');
  return resultText({
    kind: isLeft ? kind : 'no_match',
    tools,
    unknownWords,
    ...moreOf(result, descriptions),
  });
}

function moreOf({ doubts = [], next = [] }: KeptResult, descriptions: ReadonlyMap<string, string>) {
  return {
    doubts: doubts.map((doubt) => ({ ...doubt, tools: toolsNamed(doubt.names, descriptions) })),
    next: next.filter((name) => descriptions.has(name)),
  };
}

function toolsNamed(names: readonly string[], descriptions: ReadonlyMap<string, string>) {
  return names.flatMap((name) => {
    const description = descriptions.get(name);
    return description === undefined ? [] : [{ name, description }];
  });
}

const namesOf = (tools: SearchResult['tools']) => [...new Set(tools.map(({ name }) => name))];

/** Returns the kept form of a result. */
export function keepResult(result: SearchResult): KeptResult {
  const { callId, kind, tools, unknownWords, doubts, next, text, isError } = result;
  const names = namesOf(tools);
  return {
    ...{ callId, kind, names },
    ...(unknownWords && { unknownWords }),
    ...(doubts && { doubts: doubts.map(({ tools, ...doubt }) => ({ ...doubt, names: namesOf(tools) })) }),
    ...(next && { next }),
    ...(text !== undefined && { text }),
    ...(isError && { isError }),
  };
}

/**
 * Returns one kept result for each search of a round: providers reject a history in which a call has no
 * result.
 */
export function keepResults({ turn, results }: Round): KeptResult[] {
  return turn.searches.map(({ id }) => {
    const result = results.find(({ callId }) => callId === id);
    return result === undefined ? { callId: id, kind: 'limit', names: [] } : keepResult(result);
  });
}

/** Returns the results of a round in their kept form, without searches that got none. */
export function keepAnswered({ results }: Round): KeptResult[] {
  return results.map(keepResult);
}

/**
 * Returns the names that the rounds have found, in load order, each once, with those that the answer to
 * another call defines. Tools shown because a search failed do not count.
 */
export function foundNames(rounds: readonly Round[]): string[] {
  const found = rounds.flatMap(({ results }) =>
    results.filter(({ kind }) => kind === 'found' || kind === 'answered'),
  );
  return [...new Set(found.flatMap(({ tools }) => tools.map(({ name }) => name)))];
}
