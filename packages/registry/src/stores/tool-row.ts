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
  const { version, ...parts } = JSON.parse(rest) as Omit<StoredTool, 'id' | 'definition'>;
  return { id, ...parts, version, definition };
}
