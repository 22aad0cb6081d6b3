import { type Edit, memberSpan, removeMembers, splice, textOf, valueSpan } from '@winnow/core';
import type { HeaderValue, Polyfilled } from '../../format/capabilities.ts';
import type { RequestView, ToolEntry } from '../../format/view.ts';
import { memberTexts, withElements } from '../../json/json-members.ts';
import { isJsonObject, type JsonObject } from '../../json/json-value.ts';
import { type SectionEdit, writeRequest, writtenText } from '../../request/write-request.ts';
import type { DeclaredTools } from '../../turns/kept-result.ts';
import { readBlocks } from '../read-request.ts';
import { isHostedCall, RESULT_TYPE, writeCall, writeResult } from './search-blocks.ts';

/**
 * Rewrites the request of a client that searches for tools itself, for a server that supports neither
 * `defer_loading` nor `tool_reference`. Undefined for a request that uses neither, for one whose searches the
 * provider runs (`hostedSearches`), and for one whose conversation changes tools in other ways.
 *
 * Deferred tools without a reference are left out. The others follow the tools that are not deferred, in
 * order of first reference, so that the prompt of a longer history begins like that of a shorter one. The
 * response needs no rewriting: a client's search is a function of its own.
 */
export function polyfill(view: RequestView): Polyfilled | undefined {
  const { tools, history, toolChoice } = view;
  if (tools.some(isOfVendor)) return undefined;
  if (history.some((message) => changesTools(message) || holdsSearches(message))) return undefined;
  const { edits, names } = flattenReferences(view);
  const isDeferring = tools.some(isMarked);
  if (edits.length === 0 && !isDeferring) return undefined;
  const shown = new Set([...names, ...toolChoice.names]);
  return {
    body: writeRequest(view, [
      ...(isDeferring ? flattenTools(view, shown) : []),
      ...edits,
      ...removeBetas(view),
    ]),
    removedHeaders: BETA_HEADERS,
  };
}

/** Whether an entry is a tool search of the vendor's, known or not. */
function isOfVendor({ definition }: ToolEntry): boolean {
  return isJsonObject(definition) && String(definition.type).startsWith('tool_search_tool');
}

const CHANGES: ReadonlySet<unknown> = new Set(['tool_addition', 'tool_removal']);

/** Whether a message adds tools to the conversation or removes some. */
export function changesTools(message: unknown): boolean {
  return readBlocks(message).some(({ type }) => CHANGES.has(type));
}

const DEFERRAL: ReadonlySet<string> = new Set(['defer_loading']);
const DEFERRAL_AND_MARK: ReadonlySet<string> = new Set(['defer_loading', 'cache_control']);

/**
 * Returns the tools of a request without deferral: the tools that are not deferred in their places, then the
 * shown deferred tools in the order of `shown`. If none would remain, all tools stay, because the API rejects
 * an empty list.
 *
 * @param replace returns the entry to send upstream; undefined to keep the entry.
 */
export function flattenTools(
  { tools, spans }: RequestView,
  shown: Iterable<string>,
  replace: (entry: ToolEntry) => string | undefined = () => undefined,
): SectionEdit[] {
  if (spans.tools === undefined) return [];
  const plain = tools
    .filter((entry) => !isDeferred(entry))
    .map((entry) => replace(entry) ?? without(entry, DEFERRAL));
  const deferred = tools.filter(isDeferred);
  const byName = new Map(deferred.toReversed().map((entry) => [entry.name, entry]));
  const loaded = [...shown].flatMap((name) => byName.get(name) ?? []);
  const all = [...plain, ...loaded.map((entry) => without(entry, DEFERRAL_AND_MARK))];
  const entries = all.length > 0 ? all : deferred.map((entry) => without(entry, DEFERRAL));
  return [{ ...spans.tools, ...writtenText(`[${entries.join(',')}]`) }];
}

/** Whether an entry has the member `defer_loading`. */
function isMarked({ definition }: ToolEntry): boolean {
  return isJsonObject(definition) && 'defer_loading' in definition;
}

/** Whether an entry is deferred. */
export function isDeferred({ definition }: ToolEntry): boolean {
  return isJsonObject(definition) && definition.defer_loading === true;
}

function without({ text, definition }: ToolEntry, keys: ReadonlySet<string>): string {
  const isThere = isJsonObject(definition) && [...keys].some((key) => key in definition);
  return isThere ? splice(text, removeMembers(text, valueSpan(text), keys)) : text;
}

/** The references of a history, turned into text. */
export interface FlatReferences {
  /** Edits that replace the references with text. */
  readonly edits: readonly Edit[];
  /** The referenced tools, in order of first reference. */
  readonly names: ReadonlySet<string>;
}

/** Turns the references in the results of a history into text. */
export function flattenReferences({ text, spans, history }: RequestView): FlatReferences {
  const names = new Set<string>();
  const edits = history.flatMap((message, at): Edit[] => {
    const span = spans.history[at]!;
    const own = textOf(text, span);
    const flat = withoutReferences(own, message, names);
    return flat === own ? [] : [{ ...span, text: flat }];
  });
  return { edits, names };
}

/**
 * Returns a message, given as JSON and parsed, with text in place of the references in its results: `Loaded: a,
 * b.` replaces the first reference of a result. The referenced names are added to `names`.
 */
export function withoutReferences(text: string, message: unknown, names = new Set<string>()): string {
  const blocks = contentOf(message);
  if (!blocks.some(hasReferences)) return text;
  return withElements(text, 'content', (block, at) => {
    const parts = hasReferences(blocks[at]) ? contentOf(blocks[at]) : [];
    const named = parts.filter(isReference).map(({ tool_name: name }) => String(name));
    for (const name of named) names.add(name);
    return withText(block, parts, named);
  });
}

function withText(block: string, parts: readonly unknown[], named: readonly string[]): string {
  if (named.length === 0) return block;
  const first = parts.findIndex(isReference);
  const said = JSON.stringify({ type: 'text', text: `Loaded: ${named.join(', ')}.` });
  return withElements(block, 'content', (part, at) => {
    if (!isReference(parts[at])) return part;
    return at === first ? said : undefined;
  });
}

function hasReferences(block: unknown): boolean {
  return isJsonObject(block) && block.type === 'tool_result' && contentOf(block).some(isReference);
}

function isReference(part: unknown): part is JsonObject {
  return isJsonObject(part) && part.type === 'tool_reference';
}

/**
 * Returns the elements of the content of a message or result; an empty list when the content is not a list.
 */
function contentOf(value: unknown): readonly unknown[] {
  return isJsonObject(value) && Array.isArray(value.content) ? value.content : [];
}

/** A message of a history: its original text and its parsed value. */
export interface HistoryMessage {
  readonly text: string;
  readonly value: unknown;
}

/** The results that answer the hosted searches of a history. */
export interface SearchAnswers {
  /** The result block of each call, by the call's id, wherever the block is in the history. */
  readonly results: ReadonlyMap<string, JsonObject>;
  readonly declared: DeclaredTools;
}

/**
 * Returns a history in which hosted searches are function calls. An assistant message ends with its searches,
 * a user message holds their results, and the rest of the assistant's text is its next message, as if each
 * round had been a separate turn.
 *
 * Searches next to calls for the client get their results together with the client's, in the following
 * message; the vendor itself puts its result one message later.
 */
export function flattenSearches(messages: readonly HistoryMessage[], answers: SearchAnswers): string[] {
  const flat: string[] = [];
  let late: readonly string[] = [];
  const sayLate = () => {
    if (late.length > 0) flat.push(writeMessage('user', late));
    late = [];
  };
  for (const message of messages) {
    const role = isJsonObject(message.value) ? message.value.role : undefined;
    if (role === 'user' && late.length > 0) {
      flat.push(withResults(message, late));
      late = [];
      continue;
    }
    sayLate();
    const turn = role === 'assistant' && holdsSearches(message.value) && flattenTurn(message, answers);
    if (!turn) flat.push(message.text);
    else {
      flat.push(...turn.messages);
      late = turn.late;
    }
  }
  sayLate();
  return flat;
}

/** Whether a message has blocks of hosted searches. */
export function holdsSearches(message: unknown): boolean {
  return readBlocks(message).some((block) => block.type === RESULT_TYPE || isHostedCall(block));
}

function flattenTurn(
  { text, value }: HistoryMessage,
  { results, declared }: SearchAnswers,
): { readonly messages: string[]; readonly late: string[] } {
  const blocks = (value as { content: readonly unknown[] }).content;
  const texts = memberTexts(text, 'content');
  const messages: string[] = [];
  let said: string[] = [];
  let ids = new Set<string>();
  let isAnswered = false;
  let callsClient = false;
  const answer = () => [...ids].map((id) => writeResult(id, results.get(id), declared));
  for (const [at, block] of blocks.entries()) {
    if (isJsonObject(block) && block.type === RESULT_TYPE) {
      isAnswered ||= ids.has(String(block.tool_use_id));
      continue;
    }
    // A message that also calls the client's tools has to wait for the client's results.
    if (isAnswered && !callsClient) {
      messages.push(writeMessage('assistant', said), writeMessage('user', answer()));
      [said, ids, isAnswered] = [[], new Set(), false];
    }
    if (isHostedCall(block)) ids.add(String(block.id));
    else callsClient ||= isJsonObject(block) && block.type === 'tool_use';
    said.push(isHostedCall(block) ? writeCall(block) : texts[at]!);
  }
  if (said.length > 0) messages.push(writeMessage('assistant', said));
  return { messages, late: answer() };
}

function writeMessage(role: 'user' | 'assistant', blocks: readonly string[]): string {
  return `{"role":"${role}","content":[${blocks.join(',')}]}`;
}

/** Inserts results before the content of a user message. */
function withResults({ text, value }: HistoryMessage, results: readonly string[]): string {
  const { content } = value as JsonObject;
  if (!Array.isArray(content)) {
    const said =
      typeof content === 'string' && content !== '' ? [JSON.stringify({ type: 'text', text: content })] : [];
    return writeMessage('user', [...results, ...said]);
  }
  const { start } = memberSpan(text, 0, 'content')!;
  const own = content.length === 0 ? '' : ',';
  return splice(text, [{ start: start + 1, end: start + 1, text: results.join(',') + own }]);
}

/**
 * The betas for deferred tools. The first one also covered other tool features, which no longer need a beta.
 * Source: https://docs.claude.com/en/docs/agents-and-tools/tool-use/tool-search-tool
 */
const BETAS = ['advanced-tool-use-2025-11-20', 'tool-search-tool-2025-10-19'];

/** The same betas as header values. */
export const BETA_HEADERS: readonly HeaderValue[] = BETAS.map((value) => ({ name: 'anthropic-beta', value }));

/** Returns the edit that removes these betas from a body, where Bedrock expects them. */
export function removeBetas({ body, spans }: RequestView): Edit[] {
  const span = spans.members.get('anthropic_beta');
  const betas: unknown = body.anthropic_beta;
  if (span === undefined || !Array.isArray(betas)) return [];
  const kept = betas.filter((beta) => !BETAS.includes(beta));
  return kept.length === betas.length ? [] : [{ ...span, text: JSON.stringify(kept) }];
}
