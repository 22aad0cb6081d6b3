import { createRandom, type Random } from '@winnow/testkit';
import type { Agent, KnownTool, Limits } from '../../src/plan/known-tool.ts';
import type { Match, PlanInput } from '../../src/plan/plan-attachment.ts';

/** A tool that a test needs nothing special of. */
export function knownTool(name: string, parts: Partial<KnownTool> = {}): KnownTool {
  return {
    id: `tool-${name}`,
    name,
    description: `Handles ${name}.`,
    toolType: 'external_mcp',
    tags: ['mcp:demo'],
    schema: undefined,
    ...parts,
  };
}

/** A match with a tool that Letta has. */
export function matchOf({ id, name, toolType }: KnownTool, score = 50): Match {
  const toolClass = toolType.startsWith('letta_') ? 'core' : toolType === 'custom' ? 'other' : 'mcp';
  return { id, name, toolClass, server: undefined, score };
}

/** The input of a random plan, and the tools that it must not touch. */
export interface RandomCase {
  readonly input: PlanInput;
  /** Ids that are protected by something. */
  readonly isProtected: ReadonlySet<string>;
}

/** An agent with up to 45 tools of all classes, protections of all kinds, limits and matches. */
export function randomCase(seed: number): RandomCase {
  const random = createRandom(seed);
  const tools = Array.from({ length: random.between(0, 45) }, (_, at) => randomTool(random, `a${at}`));
  const fresh = Array.from({ length: random.between(0, 25) }, (_, at) => randomTool(random, `n${at}`));
  const matched = random.sample([...tools, ...fresh], random.between(0, 25)).filter((one) => !isCore(one));
  const keep = random.sample(tools, random.below(4)).map(({ id }) => id);
  const ruled = random.sample(tools, random.below(3)).map(({ name }) => name);
  const named = random.sample(tools, random.below(3)).map(({ name }) => name);
  const order = new Map(random.sample(tools, tools.length).map(({ id }, place) => [id, place]));
  const agent: Agent = { id: 'agent-1', tools, ruledNames: new Set(ruled) };
  const isProtected = tools.filter(
    ({ id, name, toolType, tags }) =>
      toolType !== 'external_mcp' ||
      tags.includes('protected') ||
      keep.includes(id) ||
      ruled.includes(name) ||
      named.includes(name),
  );
  return {
    input: {
      agent,
      matches: matched.map((tool, place) => matchOf(tool, 100 - place)),
      relevanceOf: (id) => order.get(id)!,
      keep: random.chance(0.2) ? [...keep, 'tool-unknown'] : keep,
      protectedNames: named,
      limits: randomLimits(random),
      autoPrune: random.chance(0.7),
    },
    isProtected: new Set(isProtected.map(({ id }) => id)),
  };
}

function randomLimits(random: Random): Limits {
  const mcp = random.between(1, 25);
  const leastMcp = random.between(0, Math.min(10, mcp));
  return { total: random.between(mcp, 35), mcp, leastMcp, dropRate: random.pick([0, 0.1, 0.5, 1]) };
}

function randomTool(random: Random, name: string): KnownTool {
  if (random.chance(0.15)) return knownTool(name, { toolType: 'letta_core', tags: [] });
  if (random.chance(0.15)) return knownTool(name, { toolType: 'custom', tags: [] });
  return knownTool(name, random.chance(0.1) ? { tags: ['mcp:demo', 'protected'] } : {});
}

function isCore({ toolType }: KnownTool): boolean {
  return toolType.startsWith('letta_');
}
