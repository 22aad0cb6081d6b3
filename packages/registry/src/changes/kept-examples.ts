import { definitionOf } from '../model/create-stored-tool.ts';
import { isSameJson } from '../model/json.ts';
import type { McpTool, StoredTool, ToolExample } from '../model/tool.ts';
import { validateValue } from '../validation/validate-value.ts';

/** Returns the examples of a tool that stay valid when its definition is replaced. */
export function keptExamples(existing: StoredTool, next: McpTool): readonly ToolExample[] {
  if (existing.examples.length === 0 || isSameJson(definitionOf(existing).inputSchema, next.inputSchema)) {
    return existing.examples;
  }
  return existing.examples.filter(
    (example) => validateValue(next.inputSchema, example.arguments).result !== 'invalid',
  );
}
