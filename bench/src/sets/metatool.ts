import { readFileSync } from 'node:fs';
import { readCsv } from './read-csv.ts';
import { type ConvertedSet, mergeQueries, type ReadText, type SetSource } from './set-source.ts';

const TOOLS = 'dataset/plugin_des.json';
const SINGLE = 'dataset/data/all_clean_data.csv';
const MULTI = 'dataset/data/multi_tool_query_golden.json';

/** MetaTool: plugins of a chat product, requests for one of them and for two. */
export const metatool: SetSource = {
  name: 'metatool',
  repository: 'HowieHwong/MetaTool',
  commit: '35e81bb7576826e980c80fed8f8c0a2b4a1e6fbb',
  licence: 'MIT',
  files: [TOOLS, SINGLE, MULTI],
  licenceFile: 'LICENSE',
  faults: [
    'Tools have no parameters, and their descriptions are advertising.',
    'Of the 20,614 requests for one tool, 2,000 were drawn once; bench/src/sets/metatool-rows.txt holds which.',
  ],
  sha256: {
    tools: '4655442feab7747946c8a9fd4d548387cfcce6561174004ec56bb9510726ec36',
    queries: '17ce24524e3fedcb637945b94bbdea5a8015891f77c23e47f8834f707070ac09',
  },
  convert: (read) => convert(read, drawnRows()),
};

interface Request {
  readonly query: string;
  readonly tool: readonly string[];
}

/** @param rows the rows to use of the requests for one tool, from 0, without the header. */
export function convert(read: ReadText, rows: readonly number[]): ConvertedSet {
  const tools = Object.entries(JSON.parse(read(TOOLS)) as Record<string, string>);
  const [, ...single] = readCsv(read(SINGLE));
  return {
    tools: tools
      .map(([name, description]) => ({ name, description, parameters: null, group: null }))
      .sort((one, other) => (one.name < other.name ? -1 : 1)),
    queries: mergeQueries([
      ...rows.map((row, number) => {
        const [query, tool] = single[row] ?? [];
        if (query === undefined || tool === undefined) throw new Error(`${SINGLE} has no row ${row}`);
        return { id: `single-${number}`, query, gold: [tool], kind: 'request' as const };
      }),
      ...(JSON.parse(read(MULTI)) as Request[]).map(({ query, tool }, number) => ({
        id: `multi-${number}`,
        query,
        gold: tool,
        kind: 'request-multi' as const,
      })),
    ]),
  };
}

function drawnRows(): number[] {
  return readFileSync(new URL('metatool-rows.txt', import.meta.url), 'utf8')
    .trim()
    .split(/\s+/)
    .map(Number);
}
