import {
  definedAmong,
  describeDefinitions,
  describeNames,
  type Edit,
  elementsOf,
  groupsLine,
  memberSpan,
  preloadHeading,
  textOf,
} from '@winnow/core';
import type { ToolReading } from '../format/capabilities.ts';
import type { HiddenTurn, LoadMode, Plan, PreloadForm, RequestView } from '../format/view.ts';
import { withMembers } from '../json/json-members.ts';
import { LatestResults, rememberBy } from '../remember-by.ts';
import { type DeclaredTools, declaredTools, type KeptResult } from '../turns/kept-result.ts';
import { appendParts, type ContentPlace, contentOf, firstMessage, preloadBy } from '../turns/preload.ts';
import { hiddenRounds } from '../turns/remember-turns.ts';
import { type CallableTool, callableIn } from './bridge.ts';

/** The most characters of names and summaries in the answer to a failed search. */
const MOST_NAMED_CHARS = 24_000;

/**
 * The tools whose definitions a request holds, in the order of its text: a definition stands in the first
 * result that has room for it, and later results only name the tool.
 *
 * Contract: mutable, for one request. Results are written in their order, each once.
 */
export class DefinedTools {
  readonly #callable: ReadonlyMap<string, CallableTool>;
  readonly #before: () => Iterable<string>;
  #known: Set<string> | undefined;

  /** `before` returns the names of those that are defined already; most requests never ask. */
  constructor(callable: ReadonlyMap<string, CallableTool>, before: () => Iterable<string> = () => []) {
    this.#callable = callable;
    this.#before = before;
  }

  /** The names of the tools that are defined so far. */
  get names(): ReadonlySet<string> {
    return this.#names;
  }

  /** Whether a tool is defined so far. */
  has(name: string): boolean {
    return this.#names.has(name);
  }

  get #names(): Set<string> {
    this.#known ??= new Set(this.#before());
    return this.#known;
  }

  /** Returns the text of a result about these tools, whose definitions follow `text`. */
  define(text: string, names: readonly string[]): string {
    const tools = this.#toolsNamed(names);
    const fresh = tools.filter(({ name }) => !this.#names.has(name));
    const again = tools.filter(({ name }) => this.#names.has(name)).map(({ name }) => name);
    const { text: definitions, defined } = describeDefinitions(fresh);
    for (const name of defined) this.#names.add(name);
    const repeated = again.length > 0 ? `Defined earlier in this conversation: ${again.join(', ')}.` : '';
    return [text, definitions, repeated].filter((part) => part !== '').join('\n');
  }

  /** Defines the tools that a result names, as its text does. */
  take({ kind, names }: Pick<KeptResult, 'kind' | 'names'>): void {
    if (!isDefining(kind)) return;
    const fresh = this.#toolsNamed(names).filter(({ name }) => !this.#names.has(name));
    for (const name of definedAmong(fresh)) this.#names.add(name);
  }

  #toolsNamed(names: readonly string[]): readonly CallableTool[] {
    return names.flatMap((name) => this.#callable.get(name) ?? []);
  }
}

/** Returns the names of the callable tools that are not among the deferred ones. */
export const keptNames = rememberBy(
  (callable: ReadonlyMap<string, CallableTool>, defer: readonly string[]): readonly string[] => {
    const deferred = new Set(defer);
    return [...callable.keys()].filter((name) => !deferred.has(name));
  },
);

function isDefining(kind: KeptResult['kind']): boolean {
  return kind === 'found' || kind === 'answered';
}

/**
 * Returns the declared tools that the results in one request refer to. In bridge mode, the text of a result
 * holds the definitions of its tools (`DefinedTools`).
 */
export function resultTools(view: RequestView, plan: Plan, reading: ToolReading): DeclaredTools {
  const declared = declaredTools(view);
  if (plan.loadMode !== 'bridge' || view.toolSection === undefined) return declared;
  const callable = callableIn(view.toolSection, reading.parametersOf);
  // A tool that this request alone shows, because its choice demands it, was defined where a result named it.
  const tools = new DefinedTools(callable, () => [
    ...keptNames(callable, plan.bridged),
    ...(preloadedText(view, plan, reading)?.defined ?? []),
  ]);
  const { name: bridge } = plan.bridgeTool;
  const textOf = (result: KeptResult) => {
    const { kind, names, text = `These tools can be called with ${bridge}, the best match first.` } = result;
    const known = names.filter((name) => callable.has(name));
    if (isDefining(kind) && known.length > 0) {
      return [tools.define(text, known), ...declared.moreOf(result)].join('\n');
    }
    if (kind !== 'restored' || known.length === 0) return declared.textOf(result);
    return nameTools(
      known.flatMap((name) => callable.get(name) ?? []),
      bridge,
    );
  };
  return { ...declared, textOf };
}

/** Returns the answer to a failed search: all tools by name and summary, as far as there is room. */
function nameTools(tools: readonly CallableTool[], bridge: string): string {
  let chars = 0;
  const named = tools.filter(({ name, description }) => {
    chars += name.length + Math.min(description.length, SUMMARY_CHARS);
    return chars <= MOST_NAMED_CHARS;
  });
  const left = tools.length - named.length;
  const more = left > 0 ? [`${left} more tools are not listed.`] : [];
  return [`The search failed. All tools can be called with ${bridge}:`, describeNames(named), ...more].join(
    '\n',
  );
}

/** The usual length of a summary, in characters. */
const SUMMARY_CHARS = 160;

/** Returns the names of the tools that the results of these hidden turns define, in the order of a history. */
export function namesDefinedBy(
  { toolSection }: RequestView,
  hiddenTurns: readonly HiddenTurn[],
  reading: ToolReading,
): readonly string[] {
  if (toolSection === undefined) return [];
  const tools = new DefinedTools(callableIn(toolSection, reading.parametersOf));
  for (const hidden of hiddenTurns) {
    const { earlier, last } = hiddenRounds(hidden);
    for (const result of [...earlier.flatMap(({ results }) => results), ...last.results]) tools.take(result);
  }
  return [...tools.names];
}

/** The definitions at the end of a conversation's first message. */
export interface PreloadedText {
  /** The text as JSON. */
  readonly json: string;
  /** Names of the tools that it defines. */
  readonly defined: readonly string[];
}

/** Returns the definitions of the tools that a plan preloads as text; undefined when there are none. */
export function preloadedText(
  view: RequestView,
  plan: Plan,
  reading: ToolReading,
): PreloadedText | undefined {
  const preload = preloadBy(plan, 'text');
  if (preload === undefined || plan.loadMode !== 'bridge' || view.toolSection === undefined) return undefined;
  const callable = callableIn(view.toolSection, reading.parametersOf);
  const { names, groups = [] } = preload;
  const key = JSON.stringify([plan.bridgeTool.name, names, groups]);
  return writtenFor(callable).of(key, () => {
    const { text, defined } = describeDefinitions(names.flatMap((name) => callable.get(name) ?? []));
    if (text === '') return undefined;
    const lines = [preloadHeading(plan.bridgeTool.name), text, ...groupsLine(groups)];
    return { json: JSON.stringify(lines.join('\n')), defined };
  });
}

/** Number of texts to remember for each list of tools: as many conversations go on at the same time. */
const MOST_WRITTEN = 32;

const writtenFor = rememberBy(
  (_: ReadonlyMap<string, CallableTool>) => new LatestResults<PreloadedText | undefined>(MOST_WRITTEN),
);

/** Returns a text of the client's without the definitions of preloaded tools at its end. */
export function withoutPreloaded(text: string, bridgeToolName: string): string {
  const heading = `${preloadHeading(bridgeToolName)}\n`;
  if (text.startsWith(heading)) return '';
  const at = text.lastIndexOf(`\n\n${heading}`);
  return at === -1 ? text : text.slice(0, at);
}

/** The way in which a format writes text at the end of a message. */
export interface TextStyle {
  /** The member of a message that holds its parts; `content` by default. */
  readonly member?: string;
  /** Whether a text in place of a list of parts stays a text. False by default. */
  readonly keepsText?: true;
  /** Returns a part with this text, both as JSON. */
  readonly writeText: (text: string) => string;
  /** Returns such a part behind the client's own; like `writeText` by default. */
  readonly writeLast?: (text: string) => string;
}

/**
 * Returns the function for the forms in which a request can bring preloaded tools in bridge mode: text, where the
 * first message has a place for it.
 */
export function textForms({ member }: TextStyle) {
  return (view: RequestView, loadMode: LoadMode): readonly PreloadForm[] => {
    const at = firstMessage(view);
    return loadMode === 'bridge' && at !== undefined && contentOf(view, at, member) ? ['text'] : [];
  };
}

/** Returns the edits that append the definitions of preloaded tools to the first message, behind its parts. */
export function appendDefinitions(
  view: RequestView,
  plan: Plan,
  reading: ToolReading,
  { member, keepsText, writeText, writeLast = writeText }: TextStyle,
): Edit[] {
  const preloaded = preloadedText(view, plan, reading);
  const at = firstMessage(view);
  const place = at === undefined ? undefined : contentOf(view, at, member);
  if (preloaded === undefined || place === undefined) return [];
  const { json } = preloaded;
  if (!place.isText || !keepsText) {
    const last = withBreakpoint(writeLast(json), view, place);
    return [appendParts(view, place, [last], writeText)];
  }
  const { start, end } = place.content;
  const gap = end - start === EMPTY.length ? '' : '\\n\\n';
  return [{ start: end - 1, end: end - 1, text: gap + json.slice(1, -1) }];
}

/** An empty text as JSON. */
const EMPTY = '""';

/** Returns a part with the mark of the client's part before it, up to which OpenAI caches the prompt. */
function withBreakpoint(part: string, { text }: RequestView, { content, isText }: ContentPlace): string {
  const before = isText ? undefined : elementsOf(text, content.start).at(-1);
  const mark =
    before && text[before.start] === '{' && memberSpan(text, before.start, 'prompt_cache_breakpoint');
  return mark ? withMembers(part, { prompt_cache_breakpoint: textOf(text, mark) }) : part;
}

/** Whether a text stands in place of the list in a request's `input`. */
export function isTextInput({ body }: RequestView): boolean {
  return typeof body.input === 'string';
}

/**
 * Returns the text that stands in place of the list in a request's `input`, as JSON, with the definitions of
 * preloaded tools; undefined for a list.
 */
export function inputText(view: RequestView, plan: Plan, reading: ToolReading): string | undefined {
  const [first] = view.spans.history;
  if (!isTextInput(view) || first === undefined) return undefined;
  const preloaded = preloadedText(view, plan, reading);
  if (preloaded === undefined) return textOf(view.text, first);
  return `${JSON.stringify(view.body.input).slice(0, -1)}\\n\\n${preloaded.json.slice(1)}`;
}
