import { createHash } from 'node:crypto';
import { callTool, say, think } from '../upstream/answer-parts.ts';
import { canonicalJson } from '../upstream/canonical-json.ts';
import type { AnswerPart, MessageAnswer } from '../upstream/scripted-answer.ts';
import { type Decision, decideNext, type Situation } from './decide-next.ts';
import type { Model } from './model.ts';
import type { ModelPlan, PlannedStep } from './model-plan.ts';
import { readVisible, type VisibleConversation } from './visible-conversation.ts';

const SEARCH_TOOL = 'gateway_search_tools';
const FIRST_CREATED_SECONDS = 1_790_000_000;

/**
 * Plays a model that keeps to a plan, and that can only call what it sees.
 *
 * When it cannot see a tool that it wants to call, it searches if a search tool is there, and calls the tool if, and only if, its
 * definition has come. Where it sees everything at once, it calls without a search: the same plan played directly and through
 * a gateway gives the client the same texts, ids, calls, arguments and stop reasons, because all of them follow from what the
 * client has seen. Only the id and the time of an answer that follows hidden searches differ: a client gets those of the first.
 *
 * Contract: stateless and deterministic; one model may serve any number of conversations at once.
 */
export function playModel(plan: ModelPlan): Model {
  const searchToolName = plan.searchToolName ?? SEARCH_TOOL;
  return (conversation) => {
    const visible = readVisible(conversation, searchToolName);
    return writeAnswer({ plan, conversation, visible, searchToolName, mark: markOf(visible) });
  };
}

/** One point of a conversation. */
interface Moment extends Situation {
  /** Stands for all that the client has seen. */
  readonly mark: string;
}

function markOf({ turns }: VisibleConversation): string {
  return createHash('sha256').update(canonicalJson(turns)).digest('hex').slice(0, 20);
}

function writeAnswer(moment: Moment): MessageAnswer {
  const { conversation, visible, mark } = moment;
  const round = visible.hiddenRounds === 0 ? '' : `r${visible.hiddenRounds}`;
  return {
    kind: 'message',
    id: `${conversation.idPrefixes.message}${mark}${round}`,
    createdSeconds: FIRST_CREATED_SECONDS + 60 * visible.turns.length + visible.hiddenRounds,
    parts: [...writeThoughts(moment), ...writeDecision(decideNext(moment), moment)],
  };
}

function writeThoughts({ plan, conversation, visible, mark }: Moment): AnswerPart[] {
  if (!plan.thinks || !conversation.mayThink) return [];
  return [think('Let me think ', `about ${mark}/${visible.hiddenRounds}.`)];
}

function writeDecision(decision: Decision, moment: Moment): AnswerPart[] {
  switch (decision.kind) {
    case 'say':
      return [sayWords(decision.text)];
    case 'search': {
      const words = moment.plan.narratesSearches
        ? `Looking for ${decision.queries.join(' and ')}.`
        : undefined;
      return [...(words === undefined ? [] : [sayWords(words)]), ...writeSearches(decision.queries, moment)];
    }
    case 'call':
      return writeCalls(decision.step, moment);
  }
}

function writeCalls(step: PlannedStep, moment: Moment): AnswerPart[] {
  const { conversation, mark, searchToolName } = moment;
  const words = step.say === undefined ? [] : [sayWords(step.say)];
  const calls = step.thenCall.map(({ name, input }, position) =>
    callTool(name, input, { id: `${conversation.idPrefixes.call}${mark}${position}` }),
  );
  const canSearch = conversation.callable.has(searchToolName);
  const beside = canSearch ? writeSearches(step.searchBeside ?? [], moment) : [];
  return step.besidePosition === 'before' ? [...words, ...beside, ...calls] : [...words, ...calls, ...beside];
}

function writeSearches(queries: readonly string[], moment: Moment): AnswerPart[] {
  const { mark, visible, searchToolName, conversation } = moment;
  const id = `${conversation.idPrefixes.call}${mark}s${visible.hiddenRounds}`;
  return queries.map((query, position) => callTool(searchToolName, { query }, { id: `${id}x${position}` }));
}

/** One delta for each word. */
function sayWords(text: string): AnswerPart {
  return say(...(text.match(/\S+\s*/g) ?? []));
}
