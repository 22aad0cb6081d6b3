import { readFileSync } from 'node:fs';

/** A tool of the example catalogue. */
export interface DemoTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: Record<string, unknown>;
}

/**
 * The 132 example tools, with names that both providers accept: some original names contain dots and slashes.
 */
export const CATALOGUE: readonly DemoTool[] = readFileSync(new URL('../tools.jsonl', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as DemoTool)
  .map((tool) => ({ ...tool, name: tool.name.replaceAll(/[./]/g, '_') }));
