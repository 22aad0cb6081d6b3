import type { IdPrefixes } from '../model/conversation.ts';
import type { JsonObject } from './json-object.ts';
import type { AnswerPart, CallPart, Deviations, MessageAnswer, Usage } from './scripted-answer.ts';

/** A call that has its id. */
export type IdentifiedCall = CallPart & { readonly id: string };

/** A part of a message in which every call has its id. */
export type CompletePart = Exclude<AnswerPart, CallPart> | IdentifiedCall;

/** A message in which nothing is left to be filled in. */
export interface CompleteAnswer {
  readonly id: string;
  readonly model: string;
  readonly createdSeconds: number;
  readonly parts: readonly CompletePart[];
  readonly stop: string;
  readonly usage: Usage;
  readonly fields: JsonObject;
  readonly deviations: Deviations;
}

/** What the blanks of a message are filled from. */
export interface Circumstances {
  /** How many requests came before this one. Ids are made from it, so no two answers share one. */
  readonly requestNumber: number;
  readonly body: JsonObject;
  readonly model: string;
  readonly prefixes: IdPrefixes;
}

const FIRST_CREATED_SECONDS = 1_790_000_000;

/** Fills in what the script left out, always the same way for the same place in the conversation. */
export function completeAnswer(scripted: MessageAnswer, circumstances: Circumstances): CompleteAnswer {
  const { requestNumber, body, model, prefixes } = circumstances;
  const parts = scripted.parts.map((part, position) =>
    part.type === 'call' ? { ...part, id: part.id ?? makeId(prefixes.call, requestNumber, position) } : part,
  );
  return {
    id: scripted.id ?? makeId(prefixes.message, requestNumber, 0),
    model,
    createdSeconds: scripted.createdSeconds ?? FIRST_CREATED_SECONDS + requestNumber,
    parts,
    stop: scripted.stop ?? (parts.some(({ type }) => type === 'call') ? 'calls' : 'end'),
    usage: scripted.usage ?? estimateUsage(scripted, body),
    fields: scripted.fields ?? {},
    deviations: scripted.deviations ?? {},
  };
}

function makeId(prefix: string, requestNumber: number, position: number): string {
  return `${prefix}${String(requestNumber).padStart(12, '0')}x${String(position).padStart(3, '0')}`;
}

/**
 * Four bytes a token for the prompt, to which deferred definitions do not belong. The answer may be read only once, so its share goes by
 * its parts.
 */
function estimateUsage({ parts }: MessageAnswer, body: JsonObject): Usage {
  const isShown = (tool: unknown) => (tool as JsonObject | null)?.defer_loading !== true;
  const prompt = Array.isArray(body.tools) ? { ...body, tools: body.tools.filter(isShown) } : body;
  return { inputTokens: Math.ceil(JSON.stringify(prompt).length / 4), outputTokens: 3 + 10 * parts.length };
}
