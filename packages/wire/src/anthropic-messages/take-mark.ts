import type { RequestView } from '../format/view.ts';
import { countOf } from '../json/count-of.ts';
import {
  type Edit,
  elementsOf,
  isJsonObject,
  memberSpan,
  removeMembers,
  textOf,
} from '../json/json-splice.ts';
import { readBlocks } from './read-blocks.ts';

/** The last cache mark of the client's messages, and the edits that remove it there. */
export interface TakenMark {
  /** The mark as the client wrote it. */
  readonly mark: string;
  readonly edits: readonly Edit[];
}

/**
 * Takes the last cache mark from the client's messages, so that it can end a longer request; undefined when
 * they have none. Marks in turns of the model stay, because restored turns carry them.
 *
 * Where it stood, the prompt is still read from the cache: the provider looks back from a mark for some 20
 * blocks. Source: https://platform.claude.com/docs/en/build-with-claude/prompt-caching.
 */
export function takeMark({ history, text, spans }: RequestView): TakenMark | undefined {
  const at = history.findLastIndex((message) => isOfUser(message) && readBlocks(message).some(hasMark));
  if (at < 0) return undefined;
  const content = memberSpan(text, spans.history[at]!.start, 'content')!;
  const blocks = elementsOf(text, content.start);
  const block = blocks.findLast((span) => hasMark(JSON.parse(textOf(text, span))));
  const mark = block && memberSpan(text, block.start, 'cache_control');
  if (mark === undefined) return undefined;
  return { mark: textOf(text, mark), edits: removeMembers(text, block!, ['cache_control']) };
}

/** The most marks in one request. */
const MOST_MARKS = 4;

/**
 * Returns the mark for the end of preloaded tools, which follow the client's last mark in the first request of
 * a conversation: without one, they would be paid as plain input now, and as a write with the next request.
 * Undefined when the client marks no message, or as many blocks as the provider accepts.
 */
export function markOfOpening(view: RequestView): string | undefined {
  if (view.turns.length > 0) return undefined;
  const { text, tools, toolBytes } = view;
  const inTools = toolBytes === undefined ? 0 : tools.filter(({ isCacheMarked }) => isCacheMarked).length;
  if (countOf(text, '"cache_control"') + inTools >= MOST_MARKS) return undefined;
  return takeMark(view)?.mark;
}

/** Returns a block, as JSON, with a mark; the same block without one. */
export function withMark(block: string, mark: string | undefined): string {
  return mark === undefined ? block : `${block.slice(0, -1)},"cache_control":${mark}}`;
}

function isOfUser(message: unknown): boolean {
  return isJsonObject(message) && message.role === 'user';
}

function hasMark(block: unknown): boolean {
  return isJsonObject(block) && isJsonObject(block.cache_control);
}
