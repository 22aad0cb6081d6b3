import { readFileSync } from 'node:fs';

/** A need of a user, with the tool that fits. */
export interface Need {
  readonly query: string;
  /** The tool's name in the demo's catalogue. */
  readonly tool: string;
}

/** The 80 needs of the examples. */
export const NEEDS: readonly Need[] = readFileSync(new URL('../queries.jsonl', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as { query: string; gold: [string, ...string[]] })
  .map(({ query, gold }) => ({ query, tool: gold[0].replaceAll(/[./]/g, '_') }));
