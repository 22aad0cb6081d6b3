import { type Edit, elementsOf, memberSpan, textOf } from '@winnow/core';
import type { ThinkingReader } from '../format/capabilities.ts';
import type { Past } from '../format/request-parts.ts';
import type { HiddenTurn, RequestView, Round, ToolCall, Turn } from '../format/view.ts';
import { withElements } from '../json/json-members.ts';
import { isJsonObject, type JsonObject } from '../json/json-value.ts';
import { type KeptResult, keepAnswered } from './kept-result.ts';
import { type FormatTurns, rememberTurns } from './remember-turns.ts';
import { replaceTurn, withoutParts } from './visible-form.ts';

/** A format whose messages are lists of blocks. */
export interface BlockDialect {
  /** The format's name in hidden turns. */
  readonly format: string;
  /** Returns the blocks of a message. */
  readBlocks(message: unknown): readonly JsonObject[];
  /** Returns the call of one of the client's tools in a block; undefined when there is none. */
  callOf(block: JsonObject): ToolCall | undefined;
  isThinking(block: JsonObject): boolean;
  /** Returns the signature of a thinking block; undefined for any other block. */
  signatureOf(block: JsonObject): string | undefined;
  /**
   * Returns the normal form of a message, with a list that begins with `thinking` for each thinking block;
   * empty when it has no content.
   */
  visibleForm(blocks: readonly JsonObject[]): string;
  /** Returns the text that identifies one block of the user's, for keys. */
  saidInBlock(block: JsonObject): string;
  /** Whether the first thinking block of a message must stay. */
  keepsThinking(view: RequestView): boolean;
  /** Returns the member in which a request asks for thinking. */
  askedThinking(body: JsonObject): unknown;
}

/** Returns the turns of a format of blocks: one assistant message each. */
export function blockTurns(dialect: BlockDialect): FormatTurns {
  const { readBlocks, callOf, signatureOf, visibleForm } = dialect;
  const signaturesOf = (blocks: readonly JsonObject[]) => blocks.flatMap((block) => signatureOf(block) ?? []);
  const saidByAssistant = (blocks: readonly JsonObject[]) =>
    `assistant:${visibleForm(blocks.filter((block) => !dialect.isThinking(block)))}`;
  const shownOf = ({ message, searches, unshown = [] }: Turn) => {
    const ids = new Set(searches.map(({ id }) => id));
    const isShown = (block: JsonObject, at: number) =>
      !ids.has(callOf(block)?.id ?? '') && !unshown.includes(at);
    return readBlocks(JSON.parse(message)).filter(isShown);
  };
  const blocksAt = ({ history, turns }: RequestView, index: number) =>
    readBlocks(history[turns[index]!.position]);
  return rememberTurns({
    format: dialect.format,
    shownIn: (rounds) => {
      const blocks = rounds.flatMap(({ turn }) => shownOf(turn));
      const visible = visibleForm(blocks);
      if (visible === '') return undefined;
      const callIds = blocks.flatMap((block) => callOf(block)?.id ?? []);
      return { callIds, signatures: signaturesOf(blocks), said: saidByAssistant(blocks), visible };
    },
    saidIn:
      ({ history }) =>
      (position) => {
        const message = history[position];
        const role = isJsonObject(message) ? message.role : undefined;
        if (role === 'assistant') return saidByAssistant(readBlocks(message));
        // Returns the text that identifies a message. Tool results count: conversations that differ only in
        // them are different.
        return role === 'user' ? `user:${readBlocks(message).map(dialect.saidInBlock).join()}` : undefined;
      },
    marksAt: (view, index) => ({ signatures: signaturesOf(blocksAt(view, index)) }),
    fit: (view, index, hidden, by) => {
      const visible = visibleForm(blocksAt(view, index));
      if (hidden.visible === visible) return hidden;
      // Two conversations may have the same text but different thoughts. Where thinking is bound, the hidden
      // turn of one must not enter a history that the model has read without it.
      if (by === 'conversation' && isBindingModel(view.model)) return undefined;
      if (withoutParts(hidden.visible, 'thinking') !== visible) return undefined;
      // A client that sends no thinking back wants none in its history.
      const spoken = (part: string) => withoutBlocks(part, dialect.isThinking);
      const message = spoken(hidden.message);
      if (DEMANDING_MODELS.test(view.model ?? '')) return { ...hidden, message };
      return {
        ...hidden,
        before: hidden.before.map((part) => (isMessage(part) ? spoken(part) : part)),
        message,
      };
    },
    messageOf: (last) => withoutUnanswered(last, callOf),
    keep: keepAnswered,
  });
}

/** Whether a part of a hidden turn is an assistant message, and not a list of kept results. */
function isMessage(part: string): boolean {
  return part.startsWith('{');
}

/** Returns a message without some of its blocks; `isGone` is called for each, in order. */
function withoutBlocks(message: string, isGone: (block: JsonObject) => boolean): string {
  return withElements(message, 'content', (block) => (isGone(asObject(block)) ? undefined : block));
}

function asObject(block: string): JsonObject {
  const value: unknown = JSON.parse(block);
  return isJsonObject(value) ? value : {};
}

/** Returns the message of a round without its searches that have no result, which no history may contain. */
function withoutUnanswered({ turn, results }: Round, callOf: BlockDialect['callOf']): string {
  const answered = new Set(results.map(({ callId }) => callId));
  const unanswered = new Set(turn.searches.flatMap(({ id }) => (answered.has(id) ? [] : [id])));
  if (unanswered.size === 0) return turn.message;
  return withoutBlocks(turn.message, (block) => unanswered.has(callOf(block)?.id ?? ''));
}

/**
 * Names of the models that bind their thinking to the exact system prompt, tools and messages before it: the
 * provider refuses such thinking after any change before it.
 *
 * The vendor names Opus, Sonnet and Haiku 5.5, and Fable and Mythos 5.1 and 5.2; later ones are expected to
 * do the same. Source: https://docs.claude.com/en/docs/build-with-claude/extended-thinking, on preserved
 * thinking.
 */
const BINDING_MODELS: readonly RegExp[] = [
  // A date may follow the generation (`claude-opus-5-20260101`), so a minor number has at most two digits.
  /claude-(?:opus|sonnet|haiku)-5[-.](?:[5-9]|[1-9]\d)(?!\d)/,
  /claude-(?:opus|sonnet|haiku)-(?:[6-9]|[1-9]\d)(?!\d)/,
  /claude-(?:fable|mythos)-5[-.](?:[1-9]|[1-9]\d)(?!\d)/,
  /claude-(?:fable|mythos)-(?:[6-9]|[1-9]\d)(?!\d)/,
];

/**
 * Names of the models whose servers demand thinking next to each call, but not elsewhere: a client may leave out
 * the thinking of a message whose only calls were hidden. Sources: https://api-docs.deepseek.com/guides/thinking_mode,
 * https://github.com/anthropics/claude-code/issues/37757 and
 * https://platform.xiaomimimo.com/docs/en-US/usage-guide/passing-back-reasoning_content
 */
const DEMANDING_MODELS = /deepseek|kimi|mimo/i;

/** Whether a model of this name binds its thinking. */
export function isBindingModel(model: string | undefined): boolean {
  return model !== undefined && BINDING_MODELS.some((pattern) => pattern.test(model));
}

/** The writers that restore turns in a format of blocks. */
export interface BlockWriter {
  readonly dialect: BlockDialect;
  readonly turns: FormatTurns;
  /** Returns one result as the JSON of a block. */
  writeResult(result: KeptResult): string;
  /** Returns the original message with the cache marks that the client set on its copy. */
  carryMarks?(shown: string, message: string): string;
}

/**
 * Puts back every hidden turn whose visible part is unchanged in the history.
 *
 * Results next to real calls go before the client's own in the following message, because the provider wants
 * results first. Without such a message, they have no place, and that turn's last message stays as the client
 * wrote it.
 */
export function restoreBlocks(
  view: RequestView,
  { hiddenTurns, dropsThinking = false }: Pick<Past, 'hiddenTurns' | 'dropsThinking'>,
  writer: BlockWriter,
): Edit[] {
  const recalled = writer.turns.recallByTurn(view, hiddenTurns);
  const mend = (message: string) => (dropsThinking ? dropThinking(message, view, writer.dialect) : message);
  return view.turns.flatMap(({ position }, index) => {
    const hidden = recalled[index];
    const span = view.spans.history[position]!;
    const shown = textOf(view.text, span);
    if (hidden) return restoreTurn(view, position, hidden, { ...writer, shown, mend });
    const mended = mend(shown);
    return mended === shown ? [] : [{ ...span, text: mended }];
  });
}

/** Returns the user message with results of searches, given and returned as JSON. */
export function resultsMessage(results: readonly string[]): string {
  return `{"role":"user","content":[${results.join(',')}]}`;
}

interface TurnWriter extends BlockWriter {
  readonly shown: string;
  readonly mend: (message: string) => string;
}

function restoreTurn(
  view: RequestView,
  position: number,
  hidden: HiddenTurn,
  { dialect, shown, mend, writeResult, carryMarks = (_, message) => message }: TurnWriter,
): Edit[] {
  const write = (results: string) => (JSON.parse(results) as KeptResult[]).map(writeResult);
  const isEmpty = dialect.readBlocks(JSON.parse(hidden.message)).length === 0;
  const place = isEmpty || hidden.results.length > 0 ? placeOfResults(view, position + 1) : undefined;
  const lacksPlace = hidden.results.length > 0 && place === undefined;
  const last = lacksPlace ? shown : carryMarks(shown, hidden.message);
  // An empty last message, which a search that was cut off leaves, is not sent: the provider refuses it.
  const spoken = isEmpty && !lacksPlace ? [] : [mend(last)];
  // The results before it then join the next message: Converse refuses two messages of the user in a row.
  const isJoined = spoken.length === 0 && place !== undefined && hidden.before.length > 0;
  const parts = isJoined ? hidden.before.slice(0, -1) : hidden.before;
  // Results are written in their order: a tool is defined in the first one that names it.
  const before = parts.map((part) => (isMessage(part) ? mend(part) : resultsMessage(write(part))));
  const joined = isJoined ? write(hidden.before.at(-1)!) : [];
  const results = hidden.results.map((result) => writeResult(JSON.parse(result) as KeptResult));
  const text = [...joined, ...results].map((result) => `${result},`).join('');
  const placed = place === undefined ? [] : [{ start: place, end: place, text }];
  return [replaceTurn(view.spans.history[position]!, { before, spoken }), ...placed];
}

/** Returns the beginning of a user message's blocks; undefined when its content is not a list of them. */
function placeOfResults({ history, spans, text }: RequestView, position: number): number | undefined {
  const message = history[position];
  if (!isJsonObject(message) || message.role !== 'user' || !Array.isArray(message.content)) return undefined;
  const content = memberSpan(text, spans.history[position]!.start, 'content')!;
  return elementsOf(text, content.start)[0]?.start;
}

/** Returns the reader of thinking for a format of blocks. */
export function blockThinking({
  readBlocks,
  callOf,
  isThinking,
  keepsThinking,
  askedThinking,
}: BlockDialect): ThinkingReader {
  const messagesOf = ({ turns, history }: RequestView) =>
    turns.map(({ position }) => readBlocks(history[position]));
  return {
    bindingModels: BINDING_MODELS,
    isThinking: (view) => {
      const asked = askedThinking(view.body);
      const type = isJsonObject(asked) ? asked.type : undefined;
      if (type === 'enabled' || type === 'adaptive') return true;
      return messagesOf(view).some((blocks) => blocks.some(isThinking));
    },
    // The client joins several rounds into one message. Models that bind their thinking refuse any thinking
    // block in it or after it. The others refuse the second thinking block of one message, because the
    // messages between the two are missing.
    holdsThinking: (view) => {
      const fewest = keepsThinking(view) ? 2 : 1;
      return messagesOf(view).some((blocks) => blocks.filter(isThinking).length >= fewest);
    },
    // A message with two thinking blocks is one that a client joined from several rounds. With deferred
    // tools, a model first calls a visible tool. If the first call is of a deferred tool, the conversation
    // began without Winnow.
    hasLostRounds: (view, { defer }) => {
      const messages = messagesOf(view);
      if (messages.some((blocks) => blocks.filter(isThinking).length > 1)) return true;
      const calls = messages.map((blocks) => blocks.flatMap((block) => callOf(block) ?? []));
      const first = calls.find((those) => those.length > 0);
      const deferred = new Set(defer);
      return first !== undefined && !first.some(({ name }) => deferred.has(name));
    },
  };
}

/**
 * Returns the assistant's message without its thinking. The first block stays where the provider requires
 * thinking: it accepts any block that comes first. A message with only thinking stays unchanged.
 */
function dropThinking(
  message: string,
  view: RequestView,
  { readBlocks, isThinking, keepsThinking }: BlockDialect,
): string {
  let mayStay = keepsThinking(view);
  const spoken = withoutBlocks(message, (block) => {
    const isGone = isThinking(block) && !mayStay;
    mayStay &&= !isThinking(block);
    return isGone;
  });
  return readBlocks(JSON.parse(spoken)).length === 0 ? message : spoken;
}
