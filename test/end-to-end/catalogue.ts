import { readFileSync } from 'node:fs';

/** A tool of the example catalogue. */
export interface CatalogueTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: Record<string, unknown>;
}

/**
 * The example catalogue with names that every provider accepts: some original names contain dots and slashes.
 */
export const CATALOGUE: readonly CatalogueTool[] = readFileSync(
  new URL('../../examples/tools.jsonl', import.meta.url),
  'utf8',
)
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as CatalogueTool)
  .map((tool) => ({ ...tool, name: tool.name.replaceAll(/[./]/g, '_') }));
