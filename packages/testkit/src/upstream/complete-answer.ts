import type { IdPrefixes } from '../model/conversation.ts';
import type { JsonObject } from './json-object.ts';
import type { AnswerPart, CallPart, Deviations, MessageAnswer, Usage } from './scripted-answer.ts';

/** A call with its id. */
export type IdentifiedCall = CallPart & { readonly id: string };

/** A part of a message in which every call has its id. */
export type CompletePart = Exclude<AnswerPart, CallPart> | IdentifiedCall;

/** A message with all defaults filled in. */
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

/** Context for filling in the defaults of a message. */
export interface Circumstances {
  /** Number of earlier requests. Ids derive from it, so no two responses share one. */
  readonly requestNumber: number;
  readonly body: JsonObject;
  readonly model: string;
  readonly prefixes: IdPrefixes;
}

const FIRST_CREATED_SECONDS = 1_790_000_000;

/** Fills in what the script left out, always in the same way for the same position in the conversation. */
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
 * Estimates four bytes per token for the prompt without deferred definitions. The response may be readable
 * only once, so its estimate counts its parts.
 */
function estimateUsage({ parts }: MessageAnswer, body: JsonObject): Usage {
  const isShown = (tool: unknown) => (tool as JsonObject | null)?.defer_loading !== true;
  const prompt = Array.isArray(body.tools) ? { ...body, tools: body.tools.filter(isShown) } : body;
  return { inputTokens: Math.ceil(JSON.stringify(prompt).length / 4), outputTokens: 3 + 10 * parts.length };
}
