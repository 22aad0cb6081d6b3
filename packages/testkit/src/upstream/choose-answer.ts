import type { Model } from '../model/model.ts';
import { isJsonObject } from './json-object.ts';
import type { RequestContent } from './received-request.ts';
import type { ScriptedAnswer } from './scripted-answer.ts';
import type { UpstreamFormat } from './upstream-format.ts';

/** An answer of a script, or what makes one when its request has come. */
export type ScriptEntry =
  | ScriptedAnswer
  | ((request: RequestContent) => ScriptedAnswer | Promise<ScriptedAnswer>);

/** Where the answers to a model's requests come from. */
export interface AnswerSource {
  /** Used up from the front, one for each request that is not rejected. */
  readonly script?: readonly ScriptEntry[];
  /** Answers when the script is used up, or from the start without one. */
  readonly model?: Model;
}

/** Gives the answer to one request after another. */
export type ChooseAnswer = (
  request: RequestContent,
  format: UpstreamFormat,
  /** The request as the model reads it. */
  body: unknown,
) => Promise<ScriptedAnswer>;

/** Goes through the script, then asks the model; with neither left the answer is an error that says so. */
export function createAnswerChoice({ script = [], model }: AnswerSource): ChooseAnswer {
  let used = 0;
  return async (request, format, body) => {
    const entry = script[used];
    if (entry !== undefined) {
      used += 1;
      return typeof entry === 'function' ? entry(request) : entry;
    }
    if (model !== undefined && isJsonObject(body)) {
      return model(format.readConversation(body), request);
    }
    return { kind: 'error', status: 500, message: `The script has no answer left; ${used} were used.` };
  };
}
