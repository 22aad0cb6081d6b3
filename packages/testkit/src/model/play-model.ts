import { createHash } from 'node:crypto';
import { callTool, say, think } from '../upstream/answer-parts.ts';
import { canonicalJson } from '../upstream/canonical-json.ts';
import type { AnswerPart, MessageAnswer } from '../upstream/scripted-answer.ts';
import type { Conversation, ConversationTurn } from './conversation.ts';
import type { Model } from './model.ts';
import type { ModelPlan, PlannedCall, PlannedStep } from './model-plan.ts';
import { readVisible, type VisibleConversation } from './visible-conversation.ts';

const SEARCH_TOOL = 'gateway_search_tools';
const FIRST_CREATED_SECONDS = 1_790_000_000;

/**
 * Plays a model that keeps to a plan, and that can only call what it sees.
 *
 * When it cannot see a tool that it wants to call, it searches if a search tool is there, and calls the tool if, and only if, its
 * definition has come. Where it sees everything at once, it calls without a search: the same plan played directly and through
 * a gateway gives the client the same texts, ids, calls, arguments and stop reasons, because all of them follow from what the
 * client has seen. Only the id of an answer that follows hidden searches differs: a client gets the id of the first answer.
 *
 * Contract: stateless and deterministic; one model may serve any number of conversations at once.
 */
export function playModel(plan: ModelPlan): Model {
  const searchToolName = plan.searchToolName ?? SEARCH_TOOL;
  return (conversation) => {
    const visible = readVisible(conversation, searchToolName);
    const moment: Moment = { plan, conversation, visible, searchToolName, mark: markOf(visible) };
    return writeAnswer(decide(moment), moment);
  };
}

/** One point of the conversation. */
interface Moment {
  readonly plan: ModelPlan;
  readonly conversation: Conversation;
  readonly visible: VisibleConversation;
  readonly searchToolName: string;
  /** Stands for all that the client has seen. */
  readonly mark: string;
}

/** What the model does next. */
type Decision =
  | { readonly kind: 'say'; readonly text: string }
  | { readonly kind: 'search'; readonly queries: readonly string[] }
  | { readonly kind: 'call'; readonly step: PlannedStep };

function decide({ plan, conversation, visible, searchToolName }: Moment): Decision {
  const place = placeIn(visible.turns);
  const turn = plan.turns[place.turn];
  const step = turn?.steps?.[place.step];
  if (step === undefined || !conversation.mayCall) {
    return {
      kind: 'say',
      text: turn?.answer ?? `Turn ${place.turn + 1} is done ✓ ${lastResults(visible.turns)}`.trim(),
    };
  }
  const queries = conversation.callable.has(searchToolName)
    ? nextQueries(step, conversation, visible.hiddenRounds)
    : undefined;
  if (queries !== undefined) return { kind: 'search', queries };
  const unseen = step.thenCall.find((call) => !isCallable(call, conversation));
  return unseen === undefined
    ? { kind: 'call', step }
    : { kind: 'say', text: `I cannot see a tool named ${unseen.name}.` };
}

/** What to search for now, or undefined when the searching is over. */
function nextQueries(
  step: PlannedStep,
  conversation: Conversation,
  hiddenRounds: number,
): readonly string[] | undefined {
  const searches = (step.searchFor ?? []).map((entry) => (typeof entry === 'string' ? [entry] : entry));
  const seesAll = step.thenCall.every((call) => isCallable(call, conversation));
  if (goesOn(step, conversation)) {
    return searches[hiddenRounds % searches.length] ?? [`attempt ${hiddenRounds + 1}`];
  }
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

/** The turn of the plan that the conversation is in, and how many of its steps are done. */
function placeIn(turns: readonly ConversationTurn[]): { readonly turn: number; readonly step: number } {
  const lastUser = turns.findLastIndex(({ role }) => role === 'user');
  const done = turns.slice(lastUser + 1).filter((turn) => turn.role === 'assistant' && turn.calls.length > 0);
  return { turn: turns.filter(({ role }) => role === 'user').length - 1, step: done.length };
}

function lastResults(turns: readonly ConversationTurn[]): string {
  const last = turns.at(-1);
  return last?.role === 'results' ? last.results.map(({ text }) => text).join(' ') : '';
}

function writeAnswer(decision: Decision, moment: Moment): MessageAnswer {
  const { plan, conversation, visible, mark } = moment;
  const thoughts =
    plan.thinks && conversation.mayThink
      ? [think('Let me think ', `about ${mark}/${visible.hiddenRounds}.`)]
      : [];
  const round = visible.hiddenRounds === 0 ? '' : `r${visible.hiddenRounds}`;
  return {
    kind: 'message',
    id: `${conversation.idPrefixes.message}${mark}${round}`,
    createdSeconds: FIRST_CREATED_SECONDS + 60 * visible.turns.length + visible.hiddenRounds,
    parts: [...thoughts, ...writeDecision(decision, moment)],
  };
}

function writeDecision(decision: Decision, moment: Moment): AnswerPart[] {
  switch (decision.kind) {
    case 'say':
      return [say(...wordsOf(decision.text))];
    case 'search': {
      const words = moment.plan.narratesSearches
        ? [say(...wordsOf(`Looking for ${decision.queries.join(' and ')}.`))]
        : [];
      return [...words, ...writeSearches(decision.queries, moment)];
    }
    case 'call':
      return writeCalls(decision.step, moment);
  }
}

function writeCalls(step: PlannedStep, moment: Moment): AnswerPart[] {
  const words = step.say === undefined ? [] : [say(...wordsOf(step.say))];
  const calls = step.thenCall.map(({ name, input }, position) =>
    callTool(name, input, { id: `${moment.conversation.idPrefixes.call}${moment.mark}${position}` }),
  );
  const canSearch = moment.conversation.callable.has(moment.searchToolName);
  const beside = canSearch ? writeSearches(step.searchBeside ?? [], moment) : [];
  return step.besidePosition === 'before' ? [...words, ...beside, ...calls] : [...words, ...calls, ...beside];
}

function writeSearches(
  queries: readonly string[],
  { mark, visible, searchToolName, conversation }: Moment,
): AnswerPart[] {
  return queries.map((query, position) =>
    callTool(
      searchToolName,
      { query },
      { id: `${conversation.idPrefixes.call}${mark}s${visible.hiddenRounds}x${position}` },
    ),
  );
}

/** Deltas of one word each. */
function wordsOf(text: string): string[] {
  return text.match(/\S+\s*/g) ?? [];
}

function markOf({ turns }: VisibleConversation): string {
  return createHash('sha256').update(canonicalJson(turns)).digest('hex').slice(0, 20);
}
