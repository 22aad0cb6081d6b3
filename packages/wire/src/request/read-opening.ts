import { isJsonObject, type JsonObject } from '../json/json-splice.ts';

/** What stands at the beginning of a conversation, and is the same on every turn of it. */
export interface Opening {
  /** Texts of the system prompt: each block or message that the client wrote ahead of the first user message. */
  readonly systemTexts: readonly string[];
  /**
   * Texts of the first user message and of the user messages directly after it, one for each that has text.
   */
  readonly openingTexts: readonly string[];
}

/** Where a format has its conversation, and how it reads the text of a message's content. */
export interface OpeningSource {
  readonly body: JsonObject;
  readonly history: readonly unknown[];
  readonly readText: (content: unknown) => string;
}

/**
 * Reads how a conversation begins: top-level `system` or `instructions`, the messages of the system or the developer before the first user
 * message, and what the user says before the model takes its first turn. Reads no further.
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

/** A text, or the texts of a list of blocks. */
function textsOf(content: unknown): string[] {
  if (typeof content === 'string') return [content];
  if (!Array.isArray(content)) return [];
  return content.flatMap((block) =>
    isJsonObject(block) && typeof block.text === 'string' ? block.text : [],
  );
}
