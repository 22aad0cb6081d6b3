import { excessBound } from './bounds.ts';
import { type AffectedConversation, HarmProcess } from './e-value.ts';

/** A conversation of `partial`, in the order of their times. */
export interface RolledOutConversation extends AffectedConversation {
  /** Whether the model apparently needed a tool that it could not see. */
  readonly isAffected: boolean;
  /** Names of the tools that were then called. */
  readonly tools: readonly string[];
  /** Whether the model gave up a search: it found nothing, and no call followed. */
  readonly hasGivenUp?: boolean | undefined;
  /** Requests to the upstream that the client did not make. */
  readonly extraRounds?: number | undefined;
  /** Tells its client from others; undefined if nothing does. */
  readonly client?: string | undefined;
}

/** The judgement of one agent's conversations. */
export interface Harm extends SearchingCost {
  readonly inside: ArmCount;
  readonly outside: ArmCount;
  /** Whether deferring harms. False alarms: at most 4 % of agents, however often one looks. */
  readonly isHarmed: boolean;
  /** Number of conversations after which that was sure. */
  readonly sureAfter?: number;
  /** Tools whose absence harms. False alarms: at most 1 % of agents, over all tools. */
  readonly tools: readonly string[];
  /** Those of them whose absence harms several clients, and would without any one client. */
  readonly guarded: readonly string[];
  /**
   * Upper bound of the share of conversations that deferring affects on top of those affected without it, from 0 to 1;
   * holds at all times in 95 % of cases.
   */
  readonly bound: number;
}

/**
 * Costs that only deferring can have, so there is nothing to compare in the other arm: reported, but not
 * tested.
 */
interface SearchingCost {
  /** Conversations with deferred tools in which the model gave up a search. */
  readonly givenUp: number;
  /** Mean number of extra rounds in a conversation with deferred tools; 0 without any. */
  readonly extraRounds: number;
}

interface ArmCount {
  readonly conversations: number;
  readonly affected: number;
}

/** Error probabilities: 5 % together. */
const AGENT_ERROR = 0.04;
const TOOLS_ERROR = 0.01;

/** Judges the conversations of one agent. */
export function judgeHarm(conversations: readonly RolledOutConversation[]): Harm {
  const agent = new HarmProcess();
  const tools = new Map<string, HarmProcess>();
  /** Tools with their shares of the error. */
  const harmful = new Map<string, number>();
  let sureAfter: number | undefined;
  for (const [at, conversation] of conversations.entries()) {
    if (!conversation.isAffected) continue;
    agent.add(conversation);
    if (sureAfter === undefined && isSure(agent, AGENT_ERROR)) sureAfter = at + 1;
    for (const name of new Set(conversation.tools)) {
      const ofTool = tools.get(name) ?? new HarmProcess();
      tools.set(name, ofTool);
      ofTool.add(conversation);
      const error = TOOLS_ERROR * shareOf(name, tools);
      if (isSure(ofTool, error) && !harmful.has(name)) harmful.set(name, error);
    }
  }
  const affected = conversations.filter(({ isAffected }) => isAffected);
  const inside = conversations.filter(({ isInside }) => isInside).length;
  const affectedInside = affected.filter(({ isInside }) => isInside).length;
  return {
    inside: { conversations: inside, affected: affectedInside },
    outside: {
      conversations: conversations.length - inside,
      affected: affected.length - affectedInside,
    },
    ...searchingCost(conversations.filter(({ isInside: isOwn }) => isOwn)),
    isHarmed: sureAfter !== undefined,
    ...(sureAfter !== undefined && { sureAfter }),
    tools: [...harmful.keys()],
    guarded: [...harmful].flatMap(([name, error]) =>
      holdsWithoutAnyOne(affected, name, error) ? [name] : [],
    ),
    bound: excessBound(affected, inside),
  };
}

function searchingCost(inside: readonly RolledOutConversation[]): SearchingCost {
  const rounds = inside.reduce((sum, { extraRounds = 0 }) => sum + extraRounds, 0);
  return {
    givenUp: inside.filter(({ hasGivenUp }) => hasGivenUp).length,
    extraRounds: inside.length === 0 ? 0 : rounds / inside.length,
  };
}

/** Fewest clients whose conversations a tool was missing in. */
const FEWEST_CLIENTS = 3;

/** Whether the harm of a tool's absence is sure without the conversations of any one client. */
function holdsWithoutAnyOne(
  affected: readonly RolledOutConversation[],
  tool: string,
  error: number,
): boolean {
  const own = affected.filter(({ tools }) => tools.includes(tool));
  const clients = new Set(own.filter(({ isInside }) => isInside).map(({ client }) => client));
  const known = [...clients].filter((client) => client !== undefined);
  return known.length >= FEWEST_CLIENTS && [...clients].every((left) => isSureWithout(own, left, error));
}

function isSureWithout(
  own: readonly RolledOutConversation[],
  left: string | undefined,
  error: number,
): boolean {
  const rest = new HarmProcess();
  for (const conversation of own) {
    if (conversation.client === left) continue;
    rest.add(conversation);
    if (isSure(rest, error)) return true;
  }
  return false;
}

function isSure({ logValue }: HarmProcess, error: number): boolean {
  return logValue >= -Math.log(error);
}

/** Returns a tool's share of the error: 1/2, 1/6, 1/12 and so on, in the order of appearance; 1 together. */
function shareOf(name: string, tools: ReadonlyMap<string, HarmProcess>): number {
  const place = 1 + [...tools.keys()].indexOf(name);
  return 1 / (place * (place + 1));
}
