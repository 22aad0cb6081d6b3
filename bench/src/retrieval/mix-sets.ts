import { hashText } from '../hash-text.ts';
import type { RetrievalSet, SetQuery, SetTool } from './read-sets.ts';

/** Size of a mixed catalogue, and the number of samples. */
interface Mixture {
  readonly size: number;
  readonly samples: number;
}

const MIXTURES: readonly Mixture[] = [
  { size: 500, samples: 3 },
  { size: 2_000, samples: 3 },
  { size: Number.POSITIVE_INFINITY, samples: 1 },
];

/**
 * Combines the tools of several sets in one catalogue, like those of an agent with several servers: samples
 * of 500 and of 2,000 tools, and all of them. A sample includes every query whose tools are all in it; if
 * names clash, the tools are renamed. Hashes select the tools, so that every run and every ranker gets the
 * same. Returns none for a single set.
 */
export function mixSets(sets: readonly RetrievalSet[]): RetrievalSet[] {
  if (sets.length < 2) return [];
  const whole = merge(sets);
  return MIXTURES.flatMap((mixture) =>
    Array.from({ length: mixture.samples }, (_, number) => sample(whole, mixture, number + 1)),
  );
}

/** Returns the size of a set made by {@link mixSets}: `500`, `2000` or `all`; undefined for other sets. */
export function mixtureOf(setName: string): string | undefined {
  return /^mixed-(\w+)-\d+$/.exec(setName)?.[1];
}

interface Merged {
  readonly tools: readonly SetTool[];
  readonly queries: readonly SetQuery[];
}

function merge(sets: readonly RetrievalSet[]): Merged {
  const taken = new Set<string>();
  const merged = sets.map((set): Merged => {
    const newNames = new Map<string, string>();
    const tools = set.tools.map((tool) => {
      const name = taken.has(tool.name) ? `${tool.name}_${set.name}` : tool.name;
      newNames.set(tool.name, name);
      return { ...tool, name };
    });
    for (const { name } of tools) taken.add(name);
    const queries = set.queries.map((query) => ({
      id: `${set.name}/${query.id}`,
      text: query.text,
      gold: new Set([...query.gold].map((name) => newNames.get(name) ?? name)),
      candidates: undefined,
    }));
    return { tools, queries };
  });
  return { tools: merged.flatMap(({ tools }) => tools), queries: merged.flatMap(({ queries }) => queries) };
}

function sample({ tools, queries }: Merged, mixture: Mixture, number: number): RetrievalSet {
  const size = Number.isFinite(mixture.size) ? String(mixture.size) : 'all';
  const drawn = draw(tools, mixture.size, number);
  const names = new Set(drawn.map((tool) => tool.name));
  return {
    name: `mixed-${size}-${number}`,
    tools: drawn,
    queries: queries.filter(({ gold }) => [...gold].every((tool) => names.has(tool))),
    warnings: [],
  };
}

function draw(tools: readonly SetTool[], count: number, sample: number): readonly SetTool[] {
  if (tools.length <= count) return tools;
  const keyed = tools.map((tool) => ({ tool, key: hashText(`${sample} ${tool.name}`) }));
  keyed.sort((left, right) => (left.key < right.key ? -1 : 1));
  return keyed.slice(0, count).map(({ tool }) => tool);
}
