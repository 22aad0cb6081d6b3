import { readFileSync } from 'node:fs';

/** Something that a user wants, and the tool that fits. */
export interface Need {
  readonly query: string;
  /** Under the name that the demo's catalogue gives it. */
  readonly tool: string;
}

/** The 80 needs of the examples. */
export const NEEDS: readonly Need[] = readFileSync(new URL('../queries.jsonl', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as { query: string; gold: [string, ...string[]] })
  .map(({ query, gold }) => ({ query, tool: gold[0].replaceAll(/[./]/g, '_') }));
