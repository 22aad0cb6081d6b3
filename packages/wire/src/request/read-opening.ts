import { isJsonObject, type JsonObject } from '../json/json-splice.ts';

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
