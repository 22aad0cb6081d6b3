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
  const planned = turn?.steps?.[place.step];
  const step = planned && plan.searchesAgain ? withSearch(planned) : planned;
  if (step === undefined || !conversation.mayCall) {
    return { kind: 'say', text: turn?.answer ?? writeSummary(place.turn, visible.turns) };
  }
  const canSearch = conversation.callable.has(searchToolName);
  const queries = canSearch ? nextQueries(step, conversation, visible.hiddenRounds) : undefined;
  if (queries !== undefined) return { kind: 'search', queries };
  const unseen = step.thenCall.find((call) => !isCallable(call, conversation));
  return unseen === undefined
    ? { kind: 'call', step }
    : { kind: 'say', text: `I cannot see a tool named ${unseen.name}.` };
}

/** The step with a search for what it calls, where none is planned: made only when something cannot be seen. */
function withSearch(step: PlannedStep): PlannedStep {
  return step.searchFor === undefined
    ? { ...step, searchFor: [step.thenCall.map(({ name }) => name)] }
    : step;
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
  conversation: Conversation,
  hiddenRounds: number,
): readonly string[] | undefined {
  const searches = (step.searchFor ?? []).map((entry) => (typeof entry === 'string' ? [entry] : entry));
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
