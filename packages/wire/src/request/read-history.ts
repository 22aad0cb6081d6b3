import type { RequestView, SessionHint, VisibleTurn } from '../format/view.ts';
import { isJsonObject, type JsonObject, objectsIn, textOrNone } from '../json/json-value.ts';

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

/** Returns the turns of a history in which each message of the assistant is one. */
export function assistantTurns(
  history: readonly unknown[],
  callIdsOf: (message: JsonObject) => readonly string[],
): VisibleTurn[] {
  return history.flatMap((message, position) =>
    isJsonObject(message) && message.role === 'assistant' ? [{ position, callIds: callIdsOf(message) }] : [],
  );
}

/** Returns the members of a body that tell a conversation apart. */
export function hintsIn(body: JsonObject, members: readonly string[]): SessionHint[] {
  return members.flatMap((source) => {
    const value = textOrNone(body[source]);
    return value === undefined ? [] : [{ source, value }];
  });
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

/**
 * Returns the words of a message's content: a string, or the texts of its parts, with
 * white space between them. Empty when there are none.
 */
export function contentWords(content: unknown): string {
  if (typeof content === 'string') return content;
  const texts = objectsIn(content).flatMap(
    ({ text, refusal }) => textOrNone(text) ?? textOrNone(refusal) ?? [],
  );
  return texts.reduce(
    (words, text) => (/(^|\s)$/.test(words) || /^\s/.test(text) ? words + text : `${words} ${text}`),
    '',
  );
}
