import type { AddedTool } from '../format/format.ts';
import type { RequestView } from '../format/view.ts';
import { appendTools } from '../tools/append-tools.ts';
import { writeDeclaration } from './write-search-tool.ts';

/** The request with these tools behind the client's own; undefined beside nothing but tools of the provider's, as few models take both. */
export function addTools(view: RequestView, tools: readonly AddedTool[]): Uint8Array | undefined {
  return appendTools(view, tools, {
    member: 'tools',
    writeTool: (tool) => writeDeclaration(tool, view.toolSection),
    writeSection: (entries) => `[{"functionDeclarations":[${entries}]}]`,
  });
}
