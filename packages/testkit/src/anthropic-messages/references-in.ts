import { objectsOf } from '../upstream/json-object.ts';

/** A tool reference in a result. */
export interface ToolReference {
  readonly name: string;
  /** Its place, such as `messages.2.content.0.content.1`. */
  readonly place: string;
}

/** Returns every `tool_reference` in the results of the conversation, in order. */
export function referencesIn(messages: unknown): ToolReference[] {
  return objectsOf(messages).flatMap((message, messageAt) =>
    objectsOf(message.content).flatMap((block, blockAt) =>
      objectsOf(block.content).flatMap((inner, innerAt) => {
        if (block.type !== 'tool_result' || inner.type !== 'tool_reference') return [];
        const place = `messages.${messageAt}.content.${blockAt}.content.${innerAt}`;
        return [{ name: String(inner.tool_name), place }];
      }),
    ),
  );
}
