import { generateQueries, generateTools, toProviderTool } from '@winnow/testkit';

/** Fixed, so that every run measures the same tools. */
const SEED = 1;
const NAMESPACES = 50;
const BATCH = 1_000;
const QUERIES = 500;

export interface Registration {
  readonly tool: { readonly name: string; readonly description: string };
  readonly namespace: string;
  readonly tags: readonly string[];
  readonly backend: object;
}

/** Returns tools in the registry's shape, and queries about them. */
export interface Catalogue {
  readonly tools: readonly Registration[];
  readonly queries: readonly string[];
}

export function makeCatalogue(count: number): Catalogue {
  const generated = generateTools({ count, seed: SEED });
  return {
    tools: generated.map((tool, n) => ({
      tool: toProviderTool(tool, 'mcp') as unknown as Registration['tool'],
      namespace: `team-${n % NAMESPACES}`,
      tags: [`area-${n % 7}`],
      backend: { kind: 'mcp', server: `server-${n % NAMESPACES}` },
    })),
    queries: generateQueries(generated, { count: QUERIES, seed: SEED + 1 }),
  };
}

/** The maximum number of tools in one change. */
export function* batchesOf(tools: readonly Registration[]): Generator<readonly Registration[]> {
  for (let at = 0; at < tools.length; at += BATCH) yield tools.slice(at, at + BATCH);
}

/** Returns the tool with another description, so that registering it changes its searchable text. */
export function changed(registration: Registration, round: number): Registration {
  const { tool } = registration;
  return {
    ...registration,
    tool: { ...tool, description: `${tool.description} Changed for the ${round}th time.` },
  };
}
