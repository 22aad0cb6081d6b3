import type { RequestView, Round, ToolCall, Turn } from '../format/view.ts';
import { withElements } from '../json/json-members.ts';
import { isJsonObject, type JsonObject } from '../json/json-splice.ts';
import { isBindingModel } from './binding-models.ts';
import { keepAnswered } from './kept-result.ts';
import { type FormatTurns, rememberTurns } from './remember-turns.ts';
import { withoutParts } from './visible-form.ts';

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
      const before = hidden.before.map((part) => (isMessage(part) ? spoken(part) : part));
      return { ...hidden, before, message: spoken(hidden.message) };
    },
    messageOf: (last) => withoutUnanswered(last, callOf),
    keep: keepAnswered,
  });
}

/** Whether a part of a hidden turn is an assistant message, and not a list of kept results. */
export function isMessage(part: string): boolean {
  return part.startsWith('{');
}

/** Returns a message without some of its blocks; `isGone` is called for each, in order. */
export function withoutBlocks(message: string, isGone: (block: JsonObject) => boolean): string {
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
