import { z } from 'zod';

/** A tool that applied learning keeps visible. */
export const LearnedTool = z.object({
  name: z.string(),
  /** `needed`: conversations call it, or search for it first; `harm`: conversations suffer without it. */
  because: z.enum(['needed', 'harm']),
  /** The evidence, in words. */
  evidence: z.string(),
});
export type LearnedTool = z.infer<typeof LearnedTool>;

/** Applied learning for one agent, at one upstream, with one model. */
export const LearnedAgent = z.object({
  agent: z.string(),
  upstream: z.string(),
  model: z.string(),
  keep: z.array(LearnedTool),
  /** By tool: words of searches that led to it, as they were written or hashed. */
  words: z.record(z.string(), z.array(z.string())),
});
export type LearnedAgent = z.infer<typeof LearnedAgent>;

/** The file of applied learning. */
export const Learned = z.object({
  version: z.literal(1),
  /** Time of the last application, in milliseconds since 1970. */
  appliedAt: z.number(),
  agents: z.array(LearnedAgent),
  /** Tools that a person has taken back, as `agent upstream model tool`: they are not learned again. */
  refused: z.array(z.string()),
});
export type Learned = z.infer<typeof Learned>;

/** Nothing learned yet. */
export const NOTHING_LEARNED: Learned = { version: 1, appliedAt: 0, agents: [], refused: [] };

/** Returns the entry of `refused` for a tool. */
export function refusalOf(
  { agent, upstream, model }: Omit<LearnedAgent, 'keep' | 'words'>,
  tool: string,
): string {
  return JSON.stringify([agent, upstream, model, tool]);
}

/** Takes everything back. The tools that were kept are not learned again; words may be. */
export function takeBack({ agents, refused, ...learned }: Learned): Learned {
  const kept = agents.flatMap((agent) => agent.keep.map(({ name }) => refusalOf(agent, name)));
  return { ...learned, agents: [], refused: [...new Set([...refused, ...kept])] };
}
