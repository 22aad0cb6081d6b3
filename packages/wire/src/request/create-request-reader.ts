import { type BypassReason, elementsOf, textOf } from '@winnow/core';
import type { ReadOptions, RequestReader } from '../format/request-parts.ts';
import type { RequestView, ToolEntry, ToolList, ToolSection } from '../format/view.ts';
import type { BodyBytes } from '../json/body-bytes.ts';
import { isJsonObject, type JsonObject, textOrNone } from '../json/json-value.ts';
import { rememberBy } from '../remember-by.ts';
import type { BodyReading, RequestBody } from './read-body.ts';

/** The members of a view whose values are the same in most formats. */
const DEFAULTS: Pick<RequestView, 'wantsUsage' | 'sessionHints'> = { wantsUsage: true, sessionHints: [] };

/** The members of a view that each format reads in its own way. */
export type OwnMembers = Omit<RequestView, keyof RequestBody | 'purpose' | keyof typeof DEFAULTS> &
  Partial<typeof DEFAULTS>;

/** Returns the reader of a format's requests. It gives the reason where the body cannot be read. */
export function createRequestReader(
  readBody: (bytes: BodyBytes, options: ReadOptions) => BodyReading,
  readMembers: (request: RequestBody, options: ReadOptions) => OwnMembers,
): RequestReader['readRequest'] {
  return (bytes, options) => {
    const reading = readBody(bytes, options);
    if (!reading.ok) return reading;
    const { request } = reading;
    const { purpose } = options;
    return { ok: true, view: { purpose, ...DEFAULTS, ...request, ...readMembers(request, options) } };
  };
}

/**
 * Returns the reason, common to all formats, why a request must be left alone. `isPrefill` tells whether the
 * model continues its own last message, to whose result no search could be appended.
 */
export function commonBypass(
  section: ToolSection | undefined,
  searchToolName: string,
  isPrefill: boolean,
): BypassReason | undefined {
  const tools = section && factsOf(section);
  if (tools?.names.has(searchToolName)) return 'name_collision';
  if (isPrefill) return 'assistant_prefill';
  return tools?.holdFunctions ? undefined : 'no_function_tools';
}

const factsOf = rememberBy(({ entries }: ToolSection) => ({
  names: new Set(entries.map(({ name }) => name)),
  holdFunctions: entries.some(({ kind }) => kind === 'function'),
}));

/** The facts about the conversation in a request's history. */
export type HistoryFacts = Pick<
  RequestView,
  'calledNames' | 'resultNames' | 'userTexts' | 'query' | 'firstUserText' | 'turns'
>;

/** Collects the names of tools that a history calls, and of those whose results it has. */
export class NamesInHistory {
  readonly #nameOfCall = new Map<unknown, string>();
  readonly #called = new Set<string>();
  readonly #results = new Set<string>();

  /** Takes a call. Names are kept in the order of their first call; ids may repeat. */
  call(name: string, id?: unknown): void {
    this.#nameOfCall.set(id, name);
    if (name !== '') this.#called.add(name);
  }

  /** Takes the result of the call with this id, or of `otherName` when no call has it. */
  resultOf(id: unknown, otherName?: string): void {
    this.result(this.#nameOfCall.get(id) ?? otherName);
  }

  /** Takes the result of a tool. */
  result(name: string | undefined): void {
    if (name === undefined || name === '') return;
    // Deleted first, so that the latest result is last.
    this.#results.delete(name);
    this.#results.add(name);
  }

  /**
   * Returns the names so far and the user's texts, with those that serve as the search query and tell a
   * conversation apart.
   */
  factsWith(userTexts: readonly string[]): Omit<HistoryFacts, 'turns'> {
    return {
      calledNames: this.#called,
      resultNames: [...this.#results],
      userTexts,
      query: userTexts.findLast((text) => text.trim() !== '') ?? '',
      firstUserText: userTexts[0] ?? '',
    };
  }
}

/** The beginning of a conversation, which is the same in each of its turns. */
export interface Opening {
  /**
   * Texts of the system prompt: each block or message that the client wrote before the first user message.
   */
  readonly systemTexts: readonly string[];
  /**
   * Texts of the first user message and of the user messages directly after it, one for each that has text.
   */
  readonly openingTexts: readonly string[];
}

/** The conversation of a request, and the reader for its messages' content. */
export interface OpeningSource {
  readonly body: JsonObject;
  readonly history: readonly unknown[];
  readonly readText: (content: unknown) => string;
}

/**
 * Reads the beginning of a conversation: top-level `system` or `instructions`, system and developer messages
 * before the first user message, and user messages before the model's first turn.
 */
export function readOpening({ body, history, readText }: OpeningSource): Opening {
  const systemTexts = [...textsOf(body.system), ...textsOf(body.instructions)];
  const openingTexts: string[] = [];
  let hasUser = false;
  for (const message of history) {
    if (!isJsonObject(message)) continue;
    // Some conversations begin with the assistant's greeting.
    if (message.role === 'assistant' && hasUser) break;
    if (SYSTEM_ROLES.has(message.role) && !hasUser) systemTexts.push(...textsOf(message.content));
    if (message.role !== 'user') continue;
    hasUser = true;
    const text = readText(message.content);
    if (text.trim() !== '') openingTexts.push(text);
  }
  return { systemTexts, openingTexts };
}

const SYSTEM_ROLES: ReadonlySet<unknown> = new Set(['system', 'developer']);

/** Returns a text, or the texts of a list of blocks. */
function textsOf(content: unknown): string[] {
  if (typeof content === 'string') return [content];
  if (!Array.isArray(content)) return [];
  return content.flatMap((block) =>
    isJsonObject(block) && typeof block.text === 'string' ? block.text : [],
  );
}

/** The facts that a format reads in the definition of one entry. */
export type EntryFacts = Omit<ToolEntry, 'text' | 'span' | 'list'>;

type ReadEntry = (definition: unknown) => EntryFacts;

/** Reads a section that is one list of entries, as in most formats; without entries when it is not a list. */
export function readToolList(value: unknown, text: string, readEntry: ReadEntry): ToolSection {
  if (!Array.isArray(value)) return { text, value, lists: [], entries: [] };
  const list: ToolList = { span: { start: 0, end: text.length }, path: [] };
  return { text, value, lists: [list], entries: readEntries(text, list, value, readEntry) };
}

/** Reads the entries of a list in a section's text, given with its value. */
export function readEntries(
  text: string,
  list: ToolList,
  definitions: readonly unknown[],
  readEntry: ReadEntry,
): ToolEntry[] {
  return elementsOf(text, list.span.start).map((span, index) => ({
    ...readEntry(definitions[index]),
    text: textOf(text, span),
    span,
    list,
  }));
}

/**
 * Returns the facts of an entry without a cache mark. `named` has its name and description; without a name, no
 * entry is a function.
 */
export function entryFacts(definition: unknown, named: unknown, isFunction: boolean): EntryFacts {
  const { name, description } = isJsonObject(named) ? named : {};
  const ownName = textOrNone(name);
  return {
    name: ownName,
    description: typeof description === 'string' ? description : '',
    definition,
    kind: isFunction && ownName !== undefined ? 'function' : 'other',
    isCacheMarked: false,
  };
}
