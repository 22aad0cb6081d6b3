import { callTool, say } from '@winnow/testkit';
import type { CaseContext, ConformanceCase } from '../conformance-case.ts';
import type { FormatName } from '../formats/client-format.ts';
import type { Aspect } from '../judge/judge-exchange.ts';
import type { Exchange, WireAnswer } from '../wire/exchange.ts';
import { ALL, SSE, USUAL } from './formats-of.ts';
import { bodyOf, bytes, post, request, respond } from './write.ts';

const MEANING: readonly Aspect[] = ['one-request', 'request-meaning', 'status', 'response-meaning', 'end'];

const meant = (exchanges: (context: CaseContext) => readonly Exchange[]) => ({
  kind: 'exchanges' as const,
  judges: MEANING,
  exchanges,
});

/** Members that programs drop because their values say little, or because of their names. */
const EASILY_LOST = {
  nothing:
    '"stop":null,"x_empty":["",[],{},null,false,0],"x_members":{"a":"","b":[],"c":{},"d":null,"e":false,"f":0}',
  names: '"x_names":{"__proto__":{"a":1},"constructor":"b","toString":null,"":2,"10":3,"9":4}',
};

function lostInRequest(name: keyof typeof EASILY_LOST, id: string, promise: string): ConformanceCase {
  return {
    id: `bodies/${id}`,
    promise,
    sources: ['any-llm-lost-fields'],
    formats: ALL,
    play: meant((context) => {
      const usual = request(context, { edit: (body) => `{${EASILY_LOST[name]},${body.slice(1)}` });
      return [{ request: usual, answer: respond(context, request(context), [say('Yes.')]) }];
    }),
  };
}

function lostInResponse(name: keyof typeof EASILY_LOST, id: string, promise: string): ConformanceCase {
  return {
    id: `bodies/${id}`,
    promise,
    sources: ['any-llm-lost-fields'],
    formats: ALL,
    play: meant((context) => {
      const usual = request(context);
      const text = bodyOf(respond(context, usual, [say('Yes.')])).toString('utf8');
      return [{ request: usual, answer: bytes(`{${EASILY_LOST[name]},${text.slice(1)}`) }];
    }),
  };
}

/** Responses with more than text and calls, as each vendor documents them. */
const RICH: Partial<Record<FormatName, string>> = {
  'openai-chat':
    '{"id":"c","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"finish_reason":"stop","logprobs":{"content":[{"token":"Hi","logprob":-0.25,"bytes":[72,105],"top_logprobs":[]}],"refusal":null},"message":{"role":"assistant","content":"Hi","refusal":null,"annotations":[{"type":"url_citation","url_citation":{"url":"https://example.org","title":"t","start_index":0,"end_index":2}}],"audio":{"id":"a","data":"UklGRg==","expires_at":2,"transcript":"Hi"}}},{"index":1,"finish_reason":"content_filter","logprobs":null,"message":{"role":"assistant","content":null,"refusal":"I cannot."}}],"usage":{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3},"system_fingerprint":"fp_1","service_tier":"default"}',
  'openai-responses':
    '{"id":"resp_1","object":"response","status":"completed","output":[{"type":"web_search_call","id":"ws_1","status":"completed","action":{"type":"search","query":"q"}},{"type":"message","id":"msg_1","role":"assistant","status":"completed","content":[{"type":"output_text","text":"Hi","annotations":[{"type":"url_citation","url":"https://example.org","title":"t","start_index":0,"end_index":2}],"logprobs":[]},{"type":"refusal","refusal":"No."}]},{"type":"image_generation_call","id":"ig_1","status":"completed","result":"iVBORw0KGgo="}],"metadata":{"k":"v"},"incomplete_details":null,"usage":{"input_tokens":1,"output_tokens":2,"total_tokens":3}}',
  'anthropic-messages':
    '{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{"query":"q"}},{"type":"web_search_tool_result","tool_use_id":"srvtoolu_1","content":[{"type":"web_search_result","url":"https://example.org","title":"t","encrypted_content":"ZQ==","page_age":null}]},{"type":"text","text":"Hi","citations":[{"type":"web_search_result_location","url":"https://example.org","title":"t","encrypted_index":"ZQ==","cited_text":"Hi"}]}],"stop_reason":"pause_turn","stop_sequence":null,"container":{"id":"c_1","expires_at":"2026-01-01T00:00:00Z"},"usage":{"input_tokens":1,"output_tokens":2,"server_tool_use":{"web_search_requests":1}}}',
  gemini:
    '{"candidates":[{"index":0,"content":{"role":"model","parts":[{"text":"Hi"},{"inlineData":{"mimeType":"image/png","data":"iVBORw0KGgo="}},{"executableCode":{"language":"PYTHON","code":"1"}},{"codeExecutionResult":{"outcome":"OUTCOME_OK","output":"1"}}]},"finishReason":"STOP","safetyRatings":[{"category":"HARM_CATEGORY_HARASSMENT","probability":"NEGLIGIBLE"}],"citationMetadata":{"citationSources":[{"startIndex":0,"endIndex":2,"uri":"https://example.org"}]},"groundingMetadata":{"webSearchQueries":["q"]},"avgLogprobs":-0.25},{"index":1,"finishReason":"SAFETY"}],"promptFeedback":{"safetyRatings":[]},"usageMetadata":{"promptTokenCount":1,"candidatesTokenCount":2,"totalTokenCount":3},"modelVersion":"m"}',
  'bedrock-converse':
    '{"output":{"message":{"role":"assistant","content":[{"text":"Hi"},{"citationsContent":{"content":[{"text":"Hi"}],"citations":[{"title":"t"}]}},{"image":{"format":"png","source":{"bytes":"iVBORw0KGgo="}}}]}},"stopReason":"guardrail_intervened","usage":{"inputTokens":1,"outputTokens":2,"totalTokens":3},"metrics":{"latencyMs":4},"trace":{"guardrail":{"modelOutput":["Hi"]}},"performanceConfig":{"latency":"optimized"}}',
};

/** Settings of requests, as each vendor documents them, with values that gateways take for defaults or mistakes. */
const SETTINGS: Partial<Record<FormatName, object>> = {
  'openai-chat': {
    ...{ temperature: 0, top_p: 1, n: 1, seed: 0, stop: ['\n', 'END'], max_completion_tokens: 250_000 },
    ...{ frequency_penalty: 0, presence_penalty: -0.5, logit_bias: { '50256': -100 }, logprobs: true },
    ...{ top_logprobs: 0, reasoning_effort: 'minimal', verbosity: 'low', modalities: ['text'] },
    response_format: {
      type: 'json_schema',
      json_schema: { name: 'reply', strict: true, schema: { type: 'object', properties: {} } },
    },
    prediction: { type: 'content', content: 'Yes.' },
    ...{ store: false, user: 'u-1', safety_identifier: 's-1', web_search_options: {}, function_call: 'none' },
    functions: [{ name: 'old', parameters: { type: 'object', properties: {} } }],
  },
  'openai-responses': {
    ...{ temperature: 0, top_p: 1, max_output_tokens: 250_000, truncation: 'disabled', store: false },
    ...{ include: ['reasoning.encrypted_content'], top_logprobs: 0, instructions: '', background: false },
    reasoning: { effort: 'minimal', summary: 'auto' },
    text: { format: { type: 'json_schema', name: 'reply', schema: { type: 'object' } }, verbosity: 'low' },
  },
  'anthropic-messages': {
    ...{ temperature: 1, top_k: 0, top_p: 1, max_tokens: 128_000, stop_sequences: ['\n', 'END'] },
    ...{ inference_geo: 'eu', output_config: { effort: 'low' }, container: 'c_1' },
  },
  gemini: {
    generationConfig: {
      ...{ temperature: 0, topP: 1, topK: 1, seed: 0, candidateCount: 1, maxOutputTokens: 250_000 },
      ...{ stopSequences: ['END'], responseMimeType: 'application/json', responseSchema: { type: 'OBJECT' } },
      thinkingConfig: { thinkingBudget: 0, includeThoughts: false },
    },
    safetySettings: [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_NONE' }],
  },
  'gemini-interactions': {
    generation_config: {
      temperature: 0,
      top_p: 1,
      seed: 0,
      max_output_tokens: 250_000,
      stop_sequences: ['END'],
    },
    ...{ response_mime_type: 'application/json', store: false },
  },
  'bedrock-converse': {
    inferenceConfig: { temperature: 0, topP: 1, maxTokens: 128_000, stopSequences: ['END'] },
    additionalModelRequestFields: { top_k: 0 },
    additionalModelResponseFieldPaths: ['/stop_sequence'],
    guardrailConfig: { guardrailIdentifier: 'g', guardrailVersion: '1', trace: 'disabled' },
    ...{ performanceConfig: { latency: 'standard' }, requestMetadata: { team: 'a' }, promptVariables: {} },
  },
  'ollama-chat': {
    ...{ format: { type: 'object' }, keep_alive: 0, think: false },
    options: { temperature: 0, seed: 0, num_ctx: 131_072, stop: ['END'] },
  },
};

const PNG = 'iVBORw0KGgo=';
const LONG_RESULT = 'A line of a result, as long as others.\n'.repeat(1_000);

/** Messages with more than text and calls, and some that are alike, as each vendor documents them. */
const HISTORIES: Partial<Record<FormatName, readonly object[]>> = {
  'openai-chat': [
    {
      role: 'developer',
      name: 'team',
      content: [
        { type: 'text', text: 'Be brief.' },
        { type: 'text', text: ' ' },
      ],
    },
    {
      role: 'user',
      content: [
        { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}`, detail: 'low' } },
        { type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav' } },
        { type: 'image_url', image_url: { url: 'https://example.org/a.png' } },
        { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERg==' } },
      ],
    },
    { role: 'assistant', content: null, refusal: 'I cannot.' },
    { role: 'user', content: 'Go on.' },
    { role: 'user', content: 'Go on.' },
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'read', arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: 'call_1', content: LONG_RESULT },
  ],
  'anthropic-messages': [
    {
      role: 'user',
      content: [
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } },
        { type: 'image', source: { type: 'url', url: 'https://example.org/a.png' } },
        {
          type: 'document',
          source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERg==' },
          ...{ title: 'A', context: 'B', citations: { enabled: true } },
        },
        { type: 'search_result', source: 's', title: 't', content: [{ type: 'text', text: 'c' }] },
      ],
    },
    { role: 'user', content: 'Go on.' },
    { role: 'user', content: 'Go on.' },
    { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'read', input: {} }] },
    {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: 'toolu_1', is_error: true, content: LONG_RESULT }],
    },
    {
      role: 'assistant',
      content: [
        {
          type: 'text',
          text: 'Hi',
          citations: [
            {
              type: 'char_location',
              cited_text: 'A',
              document_index: 0,
              start_char_index: 0,
              end_char_index: 1,
            },
          ],
        },
      ],
    },
  ],
};

/** White space, control characters, forms of letters, and what filters take for secrets or for markup. */
const ODD_TEXT =
  '  \n\t“Text” e\u0301 \u200B\uFEFF\u00A0 Anna <anna@example.org>, +49 30 1234567, 4111 1111 1111 1111, password: hunter2 {{name}} <b>&amp;</b> \\n \u0001\r\n  ';

/** Returns an event of a stream with several choices. */
function choice(
  index: number,
  delta: object,
  finish_reason: string | null = null,
  logprobs: object | null = null,
) {
  const head = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', service_tier: 'default' };
  return { ...head, choices: [{ index, delta, logprobs, finish_reason }], usage: null };
}

/** Streams with more than one text, as each vendor documents them. */
const RICH_STREAMS: Partial<Record<FormatName, readonly object[]>> = {
  'openai-chat': [
    choice(0, { role: 'assistant', content: '', refusal: null }, null, { content: [], refusal: null }),
    choice(1, { role: 'assistant', content: '' }),
    choice(1, { content: 'B' }),
    choice(0, { content: 'A' }, null, { content: [{ token: 'A', logprob: -0.5, bytes: [65] }] }),
    choice(1, { refusal: 'No.' }),
    choice(0, { annotations: [{ type: 'url_citation', url_citation: { url: 'https://example.org' } }] }),
    choice(0, { audio: { id: 'a', data: 'UklGRg==', transcript: 'A' } }),
    choice(1, {}, 'content_filter'),
    choice(0, {}, 'stop'),
  ],
  'anthropic-messages': [
    { type: 'message_start', message: { id: 'msg_1', type: 'message', role: 'assistant', content: [] } },
    {
      type: 'content_block_start',
      index: 0,
      content_block: { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} },
    },
    {
      type: 'content_block_delta',
      index: 0,
      delta: { type: 'input_json_delta', partial_json: '{"query":"q"}' },
    },
    { type: 'content_block_stop', index: 0 },
    {
      type: 'content_block_start',
      index: 1,
      content_block: {
        type: 'web_search_tool_result',
        tool_use_id: 'srvtoolu_1',
        content: [{ type: 'web_search_result', url: 'https://example.org', encrypted_content: 'ZQ==' }],
      },
    },
    { type: 'content_block_stop', index: 1 },
    { type: 'content_block_start', index: 2, content_block: { type: 'text', text: '', citations: [] } },
    {
      type: 'content_block_delta',
      index: 2,
      delta: { type: 'citations_delta', citation: { type: 'char_location', cited_text: 'A' } },
    },
    { type: 'content_block_delta', index: 2, delta: { type: 'text_delta', text: 'A' } },
    { type: 'content_block_stop', index: 2 },
    { type: 'message_delta', delta: { stop_reason: 'pause_turn', container: { id: 'c_1' } }, usage: {} },
    { type: 'message_stop' },
  ],
};

/** Requests that ask for no response of a model. */
const OTHER_ENDPOINTS: Partial<Record<FormatName, readonly [method: string, path: string, body: string][]>> =
  {
    'openai-chat': [
      ['GET', '/v1/models?after=m-1', ''],
      ['POST', '/v1/embeddings', '{"model":"m","input":["Grüße"],"x":1.0}'],
      ['POST', '/v1/completions', '{"model":"m","prompt":["Grüße"],"echo":true}'],
      ['DELETE', '/v1/files/file-1', ''],
    ],
    'anthropic-messages': [
      ['GET', '/v1/models?limit=5', ''],
      ['POST', '/v1/messages/batches', '{"requests":[{"custom_id":"a","params":{"model":"m"}}]}'],
      ['DELETE', '/v1/messages/batches/msgbatch_1', ''],
    ],
    gemini: [
      ['GET', '/v1beta/models?pageSize=5', ''],
      ['POST', '/v1beta/models/m:embedContent', '{"content":{"parts":[{"text":"Grüße"}]}}'],
      ['PATCH', '/v1beta/cachedContents/1?updateMask=ttl', '{"ttl":"600s"}'],
      ['DELETE', '/v1beta/cachedContents/1', ''],
    ],
    'ollama-chat': [
      ['GET', '/api/tags', ''],
      ['POST', '/api/embed', '{"model":"m","input":"Grüße"}'],
      ['DELETE', '/api/delete', '{"model":"m"}'],
    ],
  };

/** A name of a model that must be escaped in a path. */
const ESCAPED_MODEL = 'arn%3Aaws%3Abedrock%3Aus-east-1%3A1%3Ainference-profile%2Fus.m';

/** Contents that gateways lose because they know fewer than the vendors write. */
export const CONTENTS: readonly ConformanceCase[] = [
  lostInRequest('nothing', 'request-nulls', 'Nulls and empty values of a request arrive.'),
  lostInResponse('nothing', 'response-nulls', 'Nulls and empty values of a response arrive.'),
  lostInRequest(
    'names',
    'request-odd-names',
    'Members of a request arrive whatever their names mean to a language.',
  ),
  lostInResponse(
    'names',
    'response-odd-names',
    'Members of a response arrive whatever their names mean to a language.',
  ),
  {
    id: 'bodies/request-settings',
    promise: 'Settings of a request reach the provider with the values that the client chose.',
    sources: ['openai-chat', 'openai-responses', 'anthropic-messages'],
    formats: Object.keys(SETTINGS) as FormatName[],
    play: meant((context) => {
      const settings = SETTINGS[context.format.name]!;
      const edit = (body: string) => JSON.stringify({ ...JSON.parse(body), ...settings });
      return [
        { request: request(context, { edit }), answer: respond(context, request(context), [say('Yes.')]) },
      ];
    }),
  },
  {
    id: 'bodies/request-parts',
    promise: 'Pictures, files, refusals, long results and repeated messages of a history reach the provider.',
    sources: ['openai-chat', 'anthropic-messages'],
    formats: Object.keys(HISTORIES) as FormatName[],
    play: meant((context) => {
      const edit = (body: string) => {
        const { messages, ...rest } = JSON.parse(body) as { messages: readonly object[] };
        return JSON.stringify({ ...rest, messages: [...HISTORIES[context.format.name]!, ...messages] });
      };
      return [
        { request: request(context, { edit }), answer: respond(context, request(context), [say('Yes.')]) },
      ];
    }),
  },
  {
    id: 'bodies/request-texts',
    promise: 'White space, letters, markup and what looks like a secret stay in the text of a request.',
    sources: ['openai-chat', 'anthropic-messages'],
    formats: ALL,
    play: meant((context) => {
      const marked = request(context, { user: `${ODD_TEXT} ${context.marker}`, system: ODD_TEXT });
      const edit = (body: string) => body.replace(` (${context.marker})`, '');
      const ends = request(context, { user: `${context.marker}${ODD_TEXT}`, system: ODD_TEXT, edit });
      const answer = respond(context, request(context), [say('Yes.')]);
      return [marked, ends].map((one) => ({ request: one, answer }));
    }),
  },
  {
    id: 'bodies/response-texts',
    promise: 'White space, letters, markup and what looks like a secret stay in the text of a response.',
    sources: ['openai-chat', 'anthropic-messages'],
    formats: ALL,
    play: meant((context) =>
      [false, true].map((isStream) => {
        const usual = request(context, { isStream });
        const parts = [say('\n', ' ', ODD_TEXT, ' ', '\n')];
        return { request: usual, answer: respond(context, usual, parts) };
      }),
    ),
  },
  {
    id: 'bodies/request-stream-plain',
    promise: 'A request for a stream without options arrives without, and the client gets no counts unasked.',
    sources: ['openai-chat'],
    formats: ['openai-chat'],
    play: meant((context) => {
      const edit = (body: string) => JSON.stringify({ ...JSON.parse(body), stream_options: undefined });
      const usual = request(context, { isStream: true, edit });
      return [{ request: usual, answer: respond(context, usual, [say('Yes.')]) }];
    }),
  },
  {
    id: 'bodies/stream-parts',
    promise: 'Choices, citations, log probabilities, sounds and refusals of a stream reach the client.',
    sources: ['openai-chat', 'anthropic-messages'],
    formats: Object.keys(RICH_STREAMS) as FormatName[],
    play: meant((context) => {
      const usual = request(context, { isStream: true });
      const { headers } = respond(context, usual, [say('Yes.')]);
      const isChat = context.format.name === 'openai-chat';
      const texts = RICH_STREAMS[context.format.name]!.map((event) => {
        const name = isChat ? '' : `event: ${(event as { readonly type: string }).type}\n`;
        return `${name}data: ${JSON.stringify(event)}\n\n`;
      });
      const body = `${texts.join('')}${isChat ? 'data: [DONE]\n\n' : ''}`;
      return [{ request: usual, answer: { ...bytes(body), headers } }];
    }),
  },
  {
    id: 'bodies/response-lines',
    promise: 'Lines of JSON, as results of batches are, reach the client as they are.',
    sources: ['anthropic-batches'],
    formats: USUAL,
    play: {
      kind: 'exchanges',
      judges: ['one-request', 'status', 'response-bytes', 'response-headers', 'end'],
      exchanges: ({ format, marker, headers }) => {
        const isChat = format.name === 'openai-chat';
        const path = isChat
          ? `/v1/files/file_${marker}/content`
          : `/v1/messages/batches/msgbatch_${marker}/results`;
        const lines = bytes('{"custom_id":"a","x": 1.0}\n{"custom_id":"b"}\n', {
          headers: [['content-type', 'application/x-jsonl']],
        });
        return [{ request: { method: 'GET', path, headers, body: [] }, answer: lines }];
      },
    },
  },
  {
    id: 'bodies/stop-reasons',
    promise: 'The reason for which a response ended arrives as the provider wrote it.',
    sources: ['openai-chat', 'anthropic-messages'],
    formats: ALL,
    play: meant((context) =>
      ['length', 'refusal', 'x_new_reason'].flatMap((stop) =>
        [false, true].map((isStream) => {
          const usual = request(context, { isStream });
          return { request: usual, answer: respond(context, usual, [say('Ye')], { stop }) };
        }),
      ),
    ),
  },
  {
    id: 'bodies/response-parts',
    promise: 'Choices, citations, log probabilities, pictures and refusals of a response reach the client.',
    sources: ['openai-chat', 'openai-responses', 'anthropic-messages'],
    formats: Object.keys(RICH) as FormatName[],
    play: meant((context) => [{ request: request(context), answer: bytes(RICH[context.format.name]!) }]),
  },
  {
    id: 'bodies/other-endpoints',
    promise: 'Requests that ask no model, such as a list of models, pass both ways.',
    sources: ['openai-chat', 'ollama-chat'],
    formats: Object.keys(OTHER_ENDPOINTS) as FormatName[],
    play: meant((context) =>
      OTHER_ENDPOINTS[context.format.name]!.map(([method, path, body]) => {
        const marked = `${path}${path.includes('?') ? '&' : '?'}x=${context.marker}`;
        const asked = post(marked, context.headers, body);
        const headers = body === '' ? context.headers : asked.headers;
        return {
          request: { ...asked, method, headers, body: body === '' ? [] : asked.body },
          answer: bytes(`{"data":[{"id":"m","x":null}],"object":"list"}`),
        };
      }),
    ),
  },
  {
    id: 'bodies/request-path',
    promise: 'Escapes in the path of a request stay as they are.',
    sources: ['rfc9110-intermediaries'],
    formats: ['bedrock-converse', 'bedrock-invoke'],
    play: meant((context) => {
      const usual = request(context);
      const path = usual.path.replace(/(?<=\/model\/)[^/]+/, ESCAPED_MODEL);
      return [{ request: { ...usual, path }, answer: respond(context, usual, [say('Yes.')]) }];
    }),
  },
  {
    id: 'streams/whole-instead',
    promise: 'A whole response to a request for a stream arrives as it is.',
    sources: ['rfc9110-intermediaries'],
    formats: ALL,
    play: meant((context) => {
      const answer = respond(context, request(context), [
        say('Yes.'),
        callTool('get_weather', { city: 'Ulm' }),
      ]);
      return [{ request: request(context, { isStream: true }), answer }];
    }),
  },
  {
    id: 'streams/empty-deltas',
    promise: 'Events that carry an empty text reach the client.',
    sources: ['html-sse'],
    formats: SSE,
    play: meant((context) => {
      const usual = request(context, { isStream: true });
      return [{ request: usual, answer: respond(context, usual, [say('', 'Yes', '', '.', '')]) }];
    }),
  },
  {
    id: 'errors/redirect',
    promise:
      'A redirection reaches the client; a gateway that follows it sends credentials where it is told to.',
    sources: ['rfc9110-redirection'],
    formats: USUAL,
    play: {
      kind: 'exchanges',
      judges: ['one-request', 'status', 'response-headers', 'end'],
      exchanges: (context) => {
        const usual = request(context);
        const location = `/elsewhere?x=${context.marker}`;
        return [307, 302].map((status) => ({ request: usual, answer: redirected(location, status) }));
      },
    },
  },
  {
    id: 'limits/same-request',
    promise: 'Clients with different credentials that ask the same get the responses made for them.',
    sources: ['rfc9110-intermediaries'],
    formats: ALL,
    play: {
      kind: 'exchanges',
      judges: ['one-request', 'request-headers', 'status', 'response-meaning', 'end'],
      exchanges: (context) =>
        ['Anna', 'Bert', 'Anna'].map((name) => {
          const own = { ...context, headers: context.format.headers(`sk-${name}-${context.marker}`) };
          const usual = request(own);
          return { request: usual, answer: respond(own, usual, [say(`You are ${name}.`)]) };
        }),
    },
  },
];

function redirected(location: string, status: number): WireAnswer {
  return bytes('', { status, headers: [['location', location]] });
}
