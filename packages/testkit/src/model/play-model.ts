import { createHash } from 'node:crypto';
import { callTool, say, think } from '../upstream/answer-parts.ts';
import { canonicalJson } from '../upstream/canonical-json.ts';
import type { AnswerPart, MessageAnswer } from '../upstream/scripted-answer.ts';
import { type Decision, decideNext, type Situation } from './decide-next.ts';
import type { Model } from './model.ts';
import type { ModelPlan, PlannedStep } from './model-plan.ts';
import { BRIDGE_TOOL, readThroughBridge } from './read-bridge.ts';
import { readVisible, type VisibleConversation } from './visible-conversation.ts';

const SEARCH_TOOL = 'gateway_search_tools';
const FIRST_CREATED_SECONDS = 1_790_000_000;

/**
 * Creates a model that follows a plan and calls only tools that it can see.
 *
 * If a tool is invisible, the model searches for it (if there is a search tool), and calls it if and only if
 * its definition arrives. If all tools are visible, it calls without a search. So the same plan gives the
 * client the same texts, ids, calls, arguments and stop reasons directly and through a gateway, because all
 * of them derive from what the client has seen. Only the id and the time of a response after hidden searches
 * differ: the client gets those of the first round.
 *
 * Contract: stateless and deterministic; one model may serve any number of conversations at once.
 */
export function playModel(plan: ModelPlan): Model {
  const searchToolName = plan.searchToolName ?? SEARCH_TOOL;
  return (request) => {
    const conversation = readThroughBridge(request, searchToolName);
    const visible = readVisible(conversation, searchToolName);
    const isShown = (name: string) => !request.callable.has(BRIDGE_TOOL) || request.callable.has(name);
    return writeAnswer({ plan, conversation, visible, searchToolName, mark: markOf(visible), isShown });
  };
}

/** One point of a conversation. */
interface Moment extends Situation {
  /** A digest of everything that the client has seen. */
  readonly mark: string;
  /** Whether a tool is called directly, instead of through the bridge tool. */
  readonly isShown: (name: string) => boolean;
}

function markOf({ turns }: VisibleConversation): string {
  return createHash('sha256').update(canonicalJson(turns)).digest('hex').slice(0, 20);
}

function writeAnswer(moment: Moment): MessageAnswer {
  const { plan, conversation, visible, mark } = moment;
  const round = visible.hiddenRounds === 0 ? '' : `r${visible.hiddenRounds}`;
  return {
    kind: 'message',
    id: `${conversation.idPrefixes.message}${mark}${round}`,
    createdSeconds: FIRST_CREATED_SECONDS + 60 * visible.turns.length + visible.hiddenRounds,
    ...(plan.chatDialect && { deviations: { chatDialect: plan.chatDialect } }),
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
  const { conversation, mark, searchToolName, isShown } = moment;
  const words = step.say === undefined ? [] : [sayWords(step.say)];
  const calls = step.thenCall.map(({ name, input }, position) => {
    const id = `${conversation.idPrefixes.call}${mark}${position}`;
    return isShown(name)
      ? callTool(name, input, { id })
      : callTool(BRIDGE_TOOL, { name, arguments: input }, { id });
  });
  const canSearch = conversation.callable.has(searchToolName);
  const extra = canSearch ? writeSearches(step.searchBeside ?? [], moment) : [];
  return step.besidePosition === 'before' ? [...words, ...extra, ...calls] : [...words, ...calls, ...extra];
}

function writeSearches(queries: readonly string[], moment: Moment): AnswerPart[] {
  const { plan, mark, visible, searchToolName, conversation } = moment;
  const id = `${conversation.idPrefixes.call}${mark}s${visible.hiddenRounds}`;
  if (plan.plansAhead && queries.length > 0)
    return [callTool(searchToolName, { queries }, { id: `${id}x0` })];
  return queries.map((query, position) => callTool(searchToolName, { query }, { id: `${id}x${position}` }));
}

/** Splits a text into one delta per word. */
function sayWords(text: string): AnswerPart {
  return say(...(text.match(/\S+\s*/g) ?? []));
}
