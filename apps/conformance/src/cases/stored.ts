import { type JsonObject, say } from '@winnow/testkit';
import type { ConformanceCase } from '../conformance-case.ts';
import type { FormatName } from '../formats/client-format.ts';
import type { Aspect } from '../judge/judge-exchange.ts';
import { bytes, request, respond } from './write.ts';

const SAME: readonly Aspect[] = [
  'one-request',
  'request-headers',
  'request-bytes',
  'status',
  'response-bytes',
  'end',
];
const STORING: readonly FormatName[] = ['openai-responses', 'gemini-interactions'];

interface Read {
  readonly method?: string;
  /** Added to the path of the format, behind the id. */
  readonly behind?: string;
  readonly body?: string;
  readonly status?: number;
  readonly answer: string;
}

/** A case about a request for something that the provider has stored. */
function stored(
  name: string,
  promise: string,
  { method = 'GET', behind = '', body, status, answer }: Read,
  formats = STORING,
): ConformanceCase {
  return {
    id: `stored/${name}`,
    promise,
    sources: ['openai-responses', 'openai-responses-cancel', 'praxis-stored'],
    formats,
    play: {
      kind: 'exchanges',
      judges: SAME,
      exchanges: ({ format, model, marker, headers: own }) => {
        const path = `${format.path(model, false)}/resp_${marker}${behind}`;
        const headers = body === undefined ? own : [...own, ['content-type', 'application/json'] as const];
        return [
          {
            request: { method, path, headers, body: body === undefined ? [] : [Buffer.from(body)] },
            answer: bytes(answer, { ...(status !== undefined && { status }) }),
          },
        ];
      },
    },
  };
}

/** A case about members by which a request stores or continues something. */
function continuing(
  name: string,
  promise: string,
  formats: readonly FormatName[],
  members: JsonObject,
): ConformanceCase {
  return {
    id: `stored/${name}`,
    promise,
    sources: ['openai-responses', 'openai-responses-cancel', 'gemini-interactions'],
    formats,
    play: {
      kind: 'exchanges',
      judges: ['one-request', 'request-meaning', 'status', 'response-meaning', 'end'],
      exchanges: (context) =>
        [false, true].map((isStream) => {
          const usual = request(context, { isStream });
          const text = JSON.stringify({ ...(JSON.parse(usual.body.toString()) as JsonObject), ...members });
          const changed = { ...usual, body: [Buffer.from(text)] };
          return { request: changed, answer: respond(context, usual, [say('Yes.')]) };
        }),
    },
  };
}

/** Responses that a provider stores can be read, continued and deleted. */
export const STORED: readonly ConformanceCase[] = [
  stored('read', 'A stored response can be read.', {
    answer: '{"id":"resp_1","object":"response" ,"x":1.0}',
  }),
  stored('read-with-query', 'The query of a read reaches the provider.', {
    behind: '?include[]=reasoning.encrypted_content&include[]=message.output_text.logprobs&stream=false',
    answer: '{"id":"resp_1","object":"response"}',
  }),
  stored('not-found', 'A read of an unknown response gets the answer of the provider.', {
    status: 404,
    answer: '{"error":{"message":"not found","code":"response_not_found"}}',
  }),
  stored('delete', 'A stored response can be deleted.', {
    method: 'DELETE',
    answer: '{"id":"resp_1","deleted":true}',
  }),
  stored('cancel', 'A response in the background can be cancelled.', {
    method: 'POST',
    behind: '/cancel',
    body: '{}',
    answer: '{"id":"resp_1","status":"cancelled"}',
  }),
  stored(
    'input-items',
    'The input of a stored response can be listed, page by page.',
    {
      behind: '/input_items?limit=2&after=msg_1&order=asc',
      answer: '{"object":"list","data":[],"has_more":false}',
    },
    ['openai-responses'],
  ),
  continuing(
    'continued',
    'The id of the response that a request continues reaches the provider.',
    ['openai-responses'],
    {
      previous_response_id: 'resp_0196',
      store: true,
    },
  ),
  continuing(
    'continued-interaction',
    'The id of the interaction that a request continues reaches the provider.',
    ['gemini-interactions'],
    {
      previous_interaction_id: 'v1_0196',
      store: true,
    },
  ),
  continuing(
    'background',
    'A request for a response in the background reaches the provider.',
    ['openai-responses'],
    {
      background: true,
      store: true,
    },
  ),
];
