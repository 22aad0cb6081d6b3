import type { Conversation, ConversationTurn } from './conversation.ts';
import type { ModelPlan, PlannedCall, PlannedStep } from './model-plan.ts';
import type { VisibleConversation } from './visible-conversation.ts';

/** The model's next action. */
export type Decision =
  | { readonly kind: 'say'; readonly text: string }
  | { readonly kind: 'search'; readonly queries: readonly string[] }
  | { readonly kind: 'call'; readonly step: PlannedStep };

/** Input for a decision. */
export interface Situation {
  readonly plan: ModelPlan;
  readonly conversation: Conversation;
  readonly visible: VisibleConversation;
  readonly searchToolName: string;
}

/**
 * Returns the plan's next action: the turn's next step, a search for a tool that it needs, or the final text.
 *
 * Never calls a tool that is not visible, and never searches without a search tool: in these cases it reports
 * what is missing.
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
    if (queries !== undefined) {
      const ahead = plan.plansAhead ? (turn?.steps ?? []).slice(place.step + 1) : [];
      const all = [...queries, ...queriesAhead(ahead, conversation)];
      return { kind: 'search', queries: plan.plansAhead ? all.slice(0, MOST_AHEAD) : all };
    }
  }
  return unseen.length === 0
    ? { kind: 'call', step }
    : { kind: 'say', text: `I cannot see a tool named ${unseen[0]}.` };
}

/** Number of phrases that the search tool asks for at most, for a model that plans ahead. */
const MOST_AHEAD = 4;

/** Returns the first queries of later steps whose tools are invisible, each once. */
function queriesAhead(steps: readonly PlannedStep[], conversation: Conversation): readonly string[] {
  const unseen = steps.filter(({ thenCall }) => thenCall.some((call) => !isCallable(call, conversation)));
  return [...new Set(unseen.flatMap((step) => searchesOf(step, [])[0] ?? []))];
}

/** The queries of each search of a step; the last one is for tools that are still invisible. */
function searchesOf(step: PlannedStep, unseen: readonly string[]): readonly (readonly string[])[] {
  const planned = (step.searchFor ?? []).map((entry) => (typeof entry === 'string' ? [entry] : entry));
  return unseen.length === 0 ? planned : [...planned, unseen];
}

/** Returns the plan's current turn and the number of steps completed. */
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

/** Returns the next queries, or undefined if the search is over. */
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
  // Without native deferral, the number of remaining tools is unknown as long as there is a search tool.
  const isLeft = deferred.size === 0 || [...deferred].some((name) => !callable.has(name));
  return keepsSearching === 'always' || isLeft;
}

function isCallable({ name }: PlannedCall, { callable }: Conversation): boolean {
  return callable.has(name);
}
