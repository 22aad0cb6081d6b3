import { type Model, type ModelPlan, playModel } from '@winnow/testkit';
import type { SetTool } from '../retrieval/read-sets.ts';
import type { ConversationLine } from '../sets/set-source.ts';

/** The header with the place of the recording that a request belongs to. */
export const RECORDING_HEADER = 'x-recording';

/**
 * A model that makes the recorded calls. If it does not see a tool, it searches with the first sentence of
 * the tool's description, then by the name.
 */
export function recordedModel(conversations: readonly ConversationLine[], tools: readonly SetTool[]): Model {
  const queries = new Map(tools.map(({ name, description }) => [name, firstSentence(description) || name]));
  const models = conversations.map((one) => playModel(planOf(one, queries)));
  return (conversation, request) => {
    const model = models[Number(request.headers[RECORDING_HEADER])];
    if (model === undefined) return { kind: 'error', status: 500, message: 'No such recording.' };
    return model(conversation, request);
  };
}

function planOf({ turns }: ConversationLine, queries: ReadonlyMap<string, string>): ModelPlan {
  return {
    searchesAgain: true,
    turns: turns.map(({ steps, answer }) => ({
      answer,
      steps: steps.map((calls) => ({
        searchFor: calls.map(({ name }) => queries.get(name) ?? name),
        thenCall: calls.map(({ name, input }) => ({ name, input })),
      })),
    })),
  };
}

function firstSentence(text: string): string {
  return text.split(/(?<=[.!?])\s/, 1)[0]!.slice(0, 200);
}
