import type { RequestView } from '../format/view.ts';
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

function isOfUser(message: unknown): boolean {
  return isJsonObject(message) && message.role === 'user';
}

function hasMark(block: unknown): boolean {
  return isJsonObject(block) && isJsonObject(block.cache_control);
}
