import type { StoredTool } from '../model/tool.ts';

/** A stored tool as texts, for stores that keep rows. */
export interface ToolRow {
  readonly id: string;
  /** The definition's own JSON text. */
  readonly definition: string;
  /** Everything else, as JSON. */
  readonly rest: string;
}

/** The row of a tool. */
export function toRow(tool: StoredTool): ToolRow {
  const { id, definition, ...rest } = tool;
  return { id, definition, rest: JSON.stringify(rest) };
}

/** The tool of a row that `toRow` made. */
export function fromRow({ id, definition, rest }: ToolRow): StoredTool {
  const parts = JSON.parse(rest) as Omit<StoredTool, 'id' | 'definition'>;
  // JSON leaves out what is undefined, and rows of earlier versions know nothing of servers.
  const { version, prefix, hasTrustedAnnotations = true } = parts;
  return { id, ...parts, version, prefix, hasTrustedAnnotations, definition };
}
