import { compareText, type ToolLine } from './set-source.ts';
import { typeName } from './type-name.ts';

/** A JSON schema of any depth, with the type names of data sets. */
export type NestedSchema = Readonly<Record<string, unknown>>;

/**
 * Returns the same schema with the type names of JSON schema, at every depth. Removes `any`, because a schema
 * without a type allows everything, and `optional`, which JSON schema does not know.
 */
export function renameTypes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(renameTypes);
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, inner]) => {
      // `optional` and `type` may be names of parameters; then they hold a schema.
      if (isPlainObject(inner)) return [[key, renameTypes(inner)]];
      if (key === 'optional' || (key === 'type' && inner === 'any')) return [];
      return [[key, key === 'type' && typeof inner === 'string' ? typeName(inner) : renameTypes(inner)]];
    }),
  );
}

/**
 * Keeps one tool per name, at the position of the name's first occurrence: the definition with the longest
 * JSON; among equally long ones the last in the order of their text. This JSON has sorted keys, a space after
 * `:` and `,`, and only ASCII; in another form, other definitions would win.
 */
export function longestDefinitions(tools: readonly ToolLine[]): ToolLine[] {
  const longest = new Map<string, { readonly tool: ToolLine; readonly text: string }>();
  for (const tool of tools) {
    const text = sortedJson(tool);
    const kept = longest.get(tool.name);
    if (kept === undefined || isAfter(text, kept.text)) longest.set(tool.name, { tool, text });
  }
  return [...longest.values()].map(({ tool }) => tool);
}

function isAfter(text: string, other: string): boolean {
  return text.length === other.length ? text > other : text.length > other.length;
}

function sortedJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(sortedJson).join(', ')}]`;
  if (!isPlainObject(value)) return toAscii(JSON.stringify(value));
  const entries = Object.entries(value).sort(([one], [other]) => compareText(one, other));
  return `{${entries.map(([key, inner]) => `${toAscii(JSON.stringify(key))}: ${sortedJson(inner)}`).join(', ')}}`;
}

function toAscii(text: string): string {
  return text.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !JSON.isRawJSON(value);
}
