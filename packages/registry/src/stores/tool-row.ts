import type { StoredTool } from '../model/tool.ts';

/** A stored tool as texts, for stores that keep rows. */
export interface ToolRow {
  readonly id: string;
  /** The definition as JSON text. */
  readonly definition: string;
  /** Everything else, as JSON. */
  readonly rest: string;
}

/** Converts a tool to its row. */
export function toRow(tool: StoredTool): ToolRow {
  const { id, definition, ...rest } = tool;
  return { id, definition, rest: JSON.stringify(rest) };
}

/** Converts a row of `toRow` back to its tool. */
export function fromRow({ id, definition, rest }: ToolRow): StoredTool {
  const parts = JSON.parse(rest) as Omit<StoredTool, 'id' | 'definition'>;
  // JSON omits undefined fields, and rows of earlier versions lack fields of servers.
  const { version, prefix, hasTrustedAnnotations = true } = parts;
  return { id, ...parts, version, prefix, hasTrustedAnnotations, definition };
}
