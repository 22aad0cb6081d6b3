import type { Model } from '../model/model.ts';
import { isJsonObject } from './json-object.ts';
import type { RequestContent } from './received-request.ts';
import type { ScriptedAnswer } from './scripted-answer.ts';
import type { UpstreamFormat } from './upstream-format.ts';

/** A scripted response, or a function that makes one when its request has arrived. */
export type ScriptEntry =
  | ScriptedAnswer
  | ((request: RequestContent) => ScriptedAnswer | Promise<ScriptedAnswer>);

/** The source of responses to model requests. */
export interface AnswerSource {
  /** Consumed from the front, one for each request that is not rejected. */
  readonly script?: readonly ScriptEntry[];
  /** Responds once the script is used up, or from the start without one. */
  readonly model?: Model;
}

/** Chooses the response to one request after another. */
export type ChooseAnswer = (
  request: RequestContent,
  format: UpstreamFormat,
  /** The request as the model reads it. */
  body: unknown,
) => Promise<ScriptedAnswer>;

/** Follows the script, then asks the model; if both are missing, responds with an error that says so. */
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
