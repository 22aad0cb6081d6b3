import { agentText } from '../conversations/agent-of.ts';
import type { AgentEvidence, ToolEvidence } from '../evidence/evidence-tally.ts';
import type { HarmSection } from '../harm/harm-tally.ts';
import { ownWordsOf } from '../suggestions/own-words.ts';
import { SUGGESTION_RULES } from '../suggestions/suggest.ts';
import { isPlainName, needOf } from '../suggestions/write-profiles.ts';
import { type Learned, type LearnedAgent, type LearnedTool, refusalOf } from './learned.ts';

/** The limits of applied learning. */
export interface LearningRules {
  /** Whether a person allows a tool to be kept because it is needed. A client's word that it changes nothing does not count. */
  readonly isAllowed: (tool: string) => boolean;
  /** Whether tools are kept for whose want conversations suffer. */
  readonly isGuarding: boolean;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** Evidence of one period. */
export interface Findings {
  readonly evidence: readonly AgentEvidence[];
  readonly harm: HarmSection;
}

/**
 * Floors of applied learning. Each rule must also hold without any one client, so that none decides for the
 * others: neither to keep a tool nor to give it up.
 */
const APPLY_RULES = {
  /** Fewest conversations, in all and without any one client. */
  conversations: 50,
  withoutOne: 20,
  /** Fewest clients that call the tool. */
  clients: 3,
  /** Share of conversations below which a learned tool is no longer kept; above it, nothing changes. */
  releasedShare: 0.25,
} as const;

/** Maximum number of tools to keep for one agent. */
const MOST_KEPT = 10;

/** Maximum number of agents to remember: clients name their own programs and models. */
const MOST_AGENTS = 200;

/** Learns the changes from findings and earlier learning. Pure and deterministic. */
export function learn({ evidence, harm }: Findings, before: Learned, rules: LearningRules): Learned {
  const agents = evidence.map((one): LearnedAgent => {
    const { agent, upstream, model } = one;
    const known = before.agents.find((other) => agentText(other) === agentText(one));
    const judged = harm.agents.find((other) => other.agent === agentText(one));
    const isRefused = (tool: string) => before.refused.includes(refusalOf(one, tool));
    const kept = keptTools(one, { known, guarded: judged?.guarded ?? [] }, rules);
    return {
      ...{ agent, upstream, model },
      keep: kept.filter(({ name }) => isPlainName(name) && !isRefused(name)).slice(0, MOST_KEPT),
      words: ownWordsOf(one),
    };
  });
  // Agents without records of this period keep what they have.
  const others = before.agents.filter((known) => !agents.some((one) => agentText(one) === agentText(known)));
  const learned = [...agents, ...others]
    .filter(({ keep, words }) => keep.length > 0 || Object.keys(words).length > 0)
    .slice(0, MOST_AGENTS);
  return { ...before, appliedAt: rules.now, agents: learned };
}

interface KnownAgent {
  readonly known: LearnedAgent | undefined;
  /** Tools for whose want conversations suffer, also without any one client. */
  readonly guarded: readonly string[];
}

function keptTools(
  { tools }: AgentEvidence,
  { known, guarded }: KnownAgent,
  rules: LearningRules,
): LearnedTool[] {
  const before = new Map(known?.keep.map((tool) => [tool.name, tool]));
  const harmed = rules.isGuarding ? guarded : [];
  const byHarm = harmed.map((name): LearnedTool => ({ name, because: 'harm', evidence: HARM }));
  // Once it is visible, no conversation suffers from its absence any more.
  const stillGuarded = [...before.values()].filter(({ because }) => because === 'harm' && rules.isGuarding);
  const needed = tools.flatMap((tool): LearnedTool[] => {
    if (!rules.isAllowed(tool.name)) return [];
    const earlier = before.get(tool.name);
    if (isNeeded(tool)) return [{ name: tool.name, because: 'needed', evidence: needOf(tool) }];
    return earlier?.because === 'needed' && !isGivenUp(tool) ? [earlier] : [];
  });
  return [...new Map([...needed, ...stillGuarded, ...byHarm].map((tool) => [tool.name, tool])).values()];
}

const HARM = 'conversations repeat a request or call it in vain more often when it is deferred';

/** Whether a deferred tool is needed, also without any one client. */
function isNeeded({ isKept, called, searchedFirst }: ToolEvidence): boolean {
  const { conversations, withoutOne, clients } = APPLY_RULES;
  if (isKept !== false || called.of < conversations || called.withoutOne.of < withoutOne) return false;
  const { calledShare, searchedFirstShare } = SUGGESTION_RULES;
  const isCalled = called.clients >= clients && called.withoutOne.least >= calledShare;
  return (
    isCalled || (searchedFirst.clients >= clients && searchedFirst.withoutOne.least >= searchedFirstShare)
  );
}

/** Whether a kept tool is called too rarely, also without any one client. */
function isGivenUp({ called }: ToolEvidence): boolean {
  const { conversations, withoutOne, releasedShare } = APPLY_RULES;
  if (called.of < conversations || called.withoutOne.of < withoutOne) return false;
  return called.withoutOne.most < releasedShare;
}

/** A difference between two states of learning. */
export interface LearnedChange {
  readonly agent: string;
  readonly upstream: string;
  readonly model: string;
  readonly kept: readonly LearnedTool[];
  /** Names of tools that are no longer kept. */
  readonly released: readonly string[];
  /** Number of words before and after. */
  readonly words: readonly [before: number, after: number];
}

/** Returns the changes between two states of learning. */
export function changesOf(before: Learned, after: Learned): LearnedChange[] {
  const all = new Map([...before.agents, ...after.agents].map((one) => [agentText(one), one]));
  return [...all].flatMap(([text, { agent, upstream, model }]) => {
    const [old, renewed] = [before, after].map(({ agents }) => agents.find((one) => agentText(one) === text));
    const kept = (renewed?.keep ?? []).filter(({ name }) => !old?.keep.some((tool) => tool.name === name));
    const released = (old?.keep ?? []).filter(
      ({ name }) => !renewed?.keep.some((tool) => tool.name === name),
    );
    const words = [wordCount(old), wordCount(renewed)] as const;
    if (kept.length === 0 && released.length === 0 && words[0] === words[1]) return [];
    return [{ ...{ agent, upstream, model }, kept, released: released.map(({ name }) => name), words }];
  });
}

function wordCount(agent: LearnedAgent | undefined): number {
  return Object.values(agent?.words ?? {}).flat().length;
}
