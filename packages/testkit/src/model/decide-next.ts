import type { Conversation, ConversationTurn } from './conversation.ts';
import type { ModelPlan, PlannedCall, PlannedStep } from './model-plan.ts';
import type { VisibleConversation } from './visible-conversation.ts';

/** What a model does next. */
export type Decision =
  | { readonly kind: 'say'; readonly text: string }
  | { readonly kind: 'search'; readonly queries: readonly string[] }
  | { readonly kind: 'call'; readonly step: PlannedStep };

/** What a decision is made from. */
export interface Situation {
  readonly plan: ModelPlan;
  readonly conversation: Conversation;
  readonly visible: VisibleConversation;
  readonly searchToolName: string;
}

/**
 * What the plan says to do at this point: the next step of the turn, a search for what it needs, or the answer.
 *
 * Never a call of a tool that cannot be seen, and never a search without a search tool: then it says what it misses.
 */
export function decideNext({ plan, conversation, visible, searchToolName }: Situation): Decision {
  const place = placeIn(visible.turns);
  const turn = plan.turns[place.turn];
  const step = turn?.steps?.[place.step];
  if (step === undefined || !conversation.mayCall) {
    return { kind: 'say', text: turn?.answer ?? writeSummary(place.turn, visible.turns) };
  }
  const canSearch = conversation.callable.has(searchToolName);
  const unseen = step.thenCall.filter((call) => !isCallable(call, conversation)).map(({ name }) => name);
  if (canSearch) {
    const searches = searchesOf(step, plan.searchesAgain ? unseen : []);
    const queries = nextQueries(step, searches, conversation, visible.hiddenRounds);
    if (queries !== undefined) return { kind: 'search', queries };
  }
  return unseen.length === 0
    ? { kind: 'call', step }
    : { kind: 'say', text: `I cannot see a tool named ${unseen[0]}.` };
}

/** The queries of each search of a step; the last one is for what cannot be seen without it. */
function searchesOf(step: PlannedStep, unseen: readonly string[]): readonly (readonly string[])[] {
  const planned = (step.searchFor ?? []).map((entry) => (typeof entry === 'string' ? [entry] : entry));
  return unseen.length === 0 ? planned : [...planned, unseen];
}

/** The turn of the plan that the conversation is in, and how many of its steps are done. */
function placeIn(turns: readonly ConversationTurn[]): { readonly turn: number; readonly step: number } {
  const lastUser = turns.findLastIndex(({ role }) => role === 'user');
  const done = turns.slice(lastUser + 1).filter((turn) => turn.role === 'assistant' && turn.calls.length > 0);
  return { turn: turns.filter(({ role }) => role === 'user').length - 1, step: done.length };
}

function writeSummary(turn: number, turns: readonly ConversationTurn[]): string {
  const last = turns.at(-1);
  const results = last?.role === 'results' ? last.results.map(({ text }) => text) : [];
  return [`Turn ${turn + 1} is done ✓`, ...results].join(' ');
}

/** What to search for now, or undefined when the searching is over. */
function nextQueries(
  step: PlannedStep,
  searches: readonly (readonly string[])[],
  conversation: Conversation,
  hiddenRounds: number,
): readonly string[] | undefined {
  if (goesOn(step, conversation)) {
    return searches[hiddenRounds % searches.length] ?? [`attempt ${hiddenRounds + 1}`];
  }
  const seesAll = step.thenCall.every((call) => isCallable(call, conversation));
  return hiddenRounds === 0 && seesAll ? undefined : searches[hiddenRounds];
}

function goesOn({ keepsSearching }: PlannedStep, { deferred, callable }: Conversation): boolean {
  if (keepsSearching === undefined) return false;
  // Without native deferral nobody can tell what is left, as long as there is something to search with.
  const isLeft = deferred.size === 0 || [...deferred].some((name) => !callable.has(name));
  return keepsSearching === 'always' || isLeft;
}

function isCallable({ name }: PlannedCall, { callable }: Conversation): boolean {
  return callable.has(name);
}
