import type { RequestView, Round, ToolCall, Turn } from '../format/view.ts';
import {
  elementsOf,
  isJsonObject,
  type JsonObject,
  memberSpan,
  splice,
  textOf,
} from '../json/json-splice.ts';
import { isBindingModel } from './binding-models.ts';
import { keepAnswered } from './kept-result.ts';
import { type FormatTurns, rememberTurns } from './remember-turns.ts';
import { withoutParts } from './visible-form.ts';

/** A format whose messages are lists of blocks. */
export interface BlockDialect {
  /** The format's name in hidden turns. */
  readonly format: string;
  /** The blocks of a message. */
  readBlocks(message: unknown): readonly JsonObject[];
  /** The call of one of the client's tools in a block; undefined where there is none. */
  callOf(block: JsonObject): ToolCall | undefined;
  isThinking(block: JsonObject): boolean;
  /** The signature of a block of thinking; undefined for any other block. */
  signatureOf(block: JsonObject): string | undefined;
  /** The normal form of a message, with a list that begins with `thinking` for each block of thinking; empty when it says nothing. */
  visibleForm(blocks: readonly JsonObject[]): string;
  /** The words of one block of the user's, for keys. */
  saidInBlock(block: JsonObject): string;
  /** Whether the first block of thinking in a message must stay. */
  keepsThinking(view: RequestView): boolean;
  /** The member in which a request asks for thinking. */
  askedThinking(body: JsonObject): unknown;
}

/** The turns of a format of blocks: one message of the assistant each. */
export function blockTurns(dialect: BlockDialect): FormatTurns {
  const { readBlocks, callOf, signatureOf, visibleForm } = dialect;
  const signaturesOf = (blocks: readonly JsonObject[]) => blocks.flatMap((block) => signatureOf(block) ?? []);
  const saidByAssistant = (blocks: readonly JsonObject[]) =>
    `assistant:${visibleForm(blocks.filter((block) => !dialect.isThinking(block)))}`;
  const shownOf = ({ message, searches }: Turn) => {
    const ids = new Set(searches.map(({ id }) => id));
    return readBlocks(JSON.parse(message)).filter((block) => !ids.has(callOf(block)?.id ?? ''));
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
      // Two conversations may say the same with other thoughts. Where thinking is bound, what another one has hidden may not turn up in a history
      // that the model has read without it.
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

/** Whether a part of a hidden turn is a message of the assistant's, and no list of kept results. */
export function isMessage(part: string): boolean {
  return part.startsWith('{');
}

/** A message without some of its blocks; `isGone` is asked of each, in order. */
export function withoutBlocks(message: string, isGone: (block: JsonObject) => boolean): string {
  const content = memberSpan(message, 0, 'content');
  if (content === undefined || message[content.start] !== '[') return message;
  const blocks = elementsOf(message, content.start).map((span) => textOf(message, span));
  const kept = blocks.filter((block) => !isGone(asObject(block)));
  return kept.length === blocks.length
    ? message
    : splice(message, [{ ...content, text: `[${kept.join(',')}]` }]);
}

function asObject(block: string): JsonObject {
  const value: unknown = JSON.parse(block);
  return isJsonObject(value) ? value : {};
}

/** The message of a round without its searches that have no result: no history may hold them. */
function withoutUnanswered({ turn, results }: Round, callOf: BlockDialect['callOf']): string {
  const answered = new Set(results.map(({ callId }) => callId));
  const unanswered = new Set(turn.searches.flatMap(({ id }) => (answered.has(id) ? [] : [id])));
  if (unanswered.size === 0) return turn.message;
  return withoutBlocks(turn.message, (block) => unanswered.has(callOf(block)?.id ?? ''));
}
