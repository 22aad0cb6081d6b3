import type { JsonObject } from './json-object.ts';
import type { OutgoingAnswer } from './outgoing-answer.ts';

/** A JSON body, with status 200 and no headers of its own unless told otherwise. */
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
