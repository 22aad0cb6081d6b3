import type { StoredRecord } from '@winnow/core';
import { agentOf } from '../conversations/agent-of.ts';
import { SessionSample } from '../conversations/session-sample.ts';
import { shareBound } from './bounds.ts';
import { judgeHarm, type RolledOutConversation } from './judge-harm.ts';

/** The conversations in which the model needed a tool that it could not see. */
export type HarmSection = ReturnType<HarmTally['result']>;

/** Names of tools to keep of an affected conversation. */
const MOST_TOOLS = 8;
/** Agents to judge; the others, with fewer conversations, are judged together. */
const MOST_AGENTS = 20;
const OTHERS = 'all others';

interface Session {
  agent: string;
  client?: string | undefined;
  time: string;
  /** Present in `partial`. */
  percent?: number;
  isInside: boolean;
  /** Whether the settings put it into several arms, or drew it at several percentages. */
  isMixed: boolean;
  isAffected: boolean;
  tools: string[];
  hasGivenUp: boolean;
  extraRounds: number;
  /** Whether an exchange in `shadow` would have missed a tool. */
  wouldMiss: boolean;
  isWatched: boolean;
}

/** Gathers `HarmSection`. */
export class HarmTally {
  readonly #sample = new SessionSample<Partial<Session>>(() => ({}));

  add(record: StoredRecord): void {
    const { session, armReason } = record;
    if (session === undefined || record.agent?.passes) return;
    const isRolledOut = armReason === 'inside_percent' || armReason === 'outside_percent';
    if (!isRolledOut && armReason !== 'rollout_shadow') return;
    const entry = this.#sample.entryOf(session);
    if (entry !== undefined) addTo(entry, record);
  }

  result() {
    const sessions = ([...this.#sample.entries] as Session[]).toSorted(byTime);
    const drawn = sessions.filter(({ percent = 0, isMixed }) => percent > 0 && percent < 100 && !isMixed);
    const watched = sessions.filter(({ isWatched }) => isWatched);
    const missing = watched.filter(({ wouldMiss }) => wouldMiss).length;
    return {
      /** Agents in `partial`, those with the most conversations first. */
      agents: byAgent(drawn).map(([agent, own]) => ({ agent, ...judgeHarm(own.map(conversationOf)) })),
      /** Conversations in `shadow` that would have missed a tool at first; with a bound that holds at all times. */
      shadow: {
        part: missing,
        whole: watched.length,
        ...(watched.length > 0 && { bound: shareBound(missing, watched.length) }),
      },
    };
  }
}

/** Outcomes of a search that the model gets no tool from. */
const VAIN: ReadonlySet<string> = new Set(['no_match', 'weak', 'limit']);

function addTo(entry: Partial<Session>, record: StoredRecord): void {
  const { time, percent, armReason, observation, called = [], unseen = [] } = record;
  const isInside = armReason === 'inside_percent';
  if (entry.time !== undefined && (entry.percent !== percent || entry.isInside !== isInside)) {
    entry.isMixed = true;
  }
  if (entry.time === undefined || time < entry.time) {
    Object.assign(entry, { time, percent, isInside, agent: agentOf(record), client: record.agent?.client });
  }
  const { searches, upstreamCalls } = record;
  if (called.length === 0 && VAIN.has(searches.at(-1)?.outcome ?? '')) entry.hasGivenUp = true;
  if (searches.length > 0) entry.extraRounds = (entry.extraRounds ?? 0) + Math.max(0, upstreamCalls - 1);
  if (record.repeats || unseen.length > 0) {
    entry.isAffected = true;
    const names = record.repeats ? [...called, ...unseen] : unseen;
    entry.tools = [...new Set([...(entry.tools ?? []), ...names])].slice(0, MOST_TOOLS);
  }
  if (armReason === 'rollout_shadow' && observation?.called !== undefined) {
    entry.isWatched = true;
    if (observation.wouldHaveMissed?.length) entry.wouldMiss = true;
  }
}

function conversationOf(session: Session): RolledOutConversation {
  const { isInside, isAffected, tools, percent, client, hasGivenUp, extraRounds } = session;
  return {
    ...{ client, hasGivenUp, extraRounds, isInside },
    isAffected: isAffected === true,
    tools: tools ?? [],
    probability: percent! / 100,
  };
}

function byTime(one: Session, other: Session): number {
  return one.time < other.time ? -1 : one.time > other.time ? 1 : 0;
}

function byAgent(sessions: readonly Session[]): [agent: string, own: Session[]][] {
  const groups = Object.entries(Object.groupBy(sessions, ({ agent }) => agent)) as [string, Session[]][];
  const ordered = groups.sort(([a, one], [b, other]) => other.length - one.length || (a < b ? -1 : 1));
  const others = ordered.slice(MOST_AGENTS).flatMap(([, own]) => own);
  return [
    ...ordered.slice(0, MOST_AGENTS),
    ...(others.length > 0 ? [[OTHERS, others.sort(byTime)] as [string, Session[]]] : []),
  ];
}
