import type { JsonObject } from './json-object.ts';
import type { OutgoingAnswer } from './outgoing-answer.ts';

/** Prepares a JSON body; by default with status 200 and no further headers. */
export function prepareJson(
  body: JsonObject,
  { status = 200, headers = {} }: Partial<Pick<OutgoingAnswer, 'status' | 'headers'>> = {},
): OutgoingAnswer {
  return {
    status,
    headers: { 'content-type': 'application/json', ...headers },
    body: [Buffer.from(JSON.stringify(body))],
  };
}
