import type { AddedTool } from '../format/format.ts';
import type { RequestView } from '../format/view.ts';
import { appendTools } from '../tools/append-tools.ts';

/** The request with these tools behind the client's own. */
export function addTools(view: RequestView, tools: readonly AddedTool[]): Uint8Array | undefined {
  return appendTools(view, tools, { member: 'tools', writeTool, writeSection: (entries) => `[${entries}]` });
}

function writeTool({ name, description, parameters }: AddedTool): string {
  return JSON.stringify({ type: 'function', function: { name, description, parameters } });
}
