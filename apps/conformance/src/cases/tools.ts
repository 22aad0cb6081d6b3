import { type AnswerPart, callTool, type JsonObject, say } from '@winnow/testkit';
import type { CaseContext, ConformanceCase } from '../conformance-case.ts';
import type { ClientTool, FormatName } from '../formats/client-format.ts';
import type { Aspect } from '../judge/judge-exchange.ts';
import type { Exchange, WireRequest } from '../wire/exchange.ts';
import { ALL } from './formats-of.ts';
import { post, type RequestParts, request, respond } from './write.ts';

const SAME: readonly Aspect[] = ['one-request', 'request-meaning', 'status', 'response-meaning', 'end'];

const WEATHER: ClientTool = {
  name: 'get_weather',
  description: 'Get the weather of a city.',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};

const exchangesOf = (exchanges: (context: CaseContext) => readonly Exchange[]) => ({
  kind: 'exchanges' as const,
  judges: SAME,
  exchanges,
});

/** A case about the tools of a request. */
function declared(
  name: string,
  promise: string,
  parts: Omit<RequestParts, 'isStream'>,
  more: Partial<ConformanceCase> = {},
): ConformanceCase {
  return {
    id: `tools/${name}`,
    promise,
    sources: ['openai-chat'],
    formats: ALL,
    play: exchangesOf((context) => {
      const usual = request(context, parts);
      return [{ request: usual, answer: respond(context, usual, [say('No tool is needed.')]) }];
    }),
    ...more,
  };
}

/** A case about the calls in a response, whole and streamed. */
function called(
  name: string,
  promise: string,
  parts: readonly AnswerPart[],
  more: Partial<ConformanceCase> = {},
): ConformanceCase {
  return {
    id: `tools/${name}`,
    promise,
    sources: ['plexus-parallel-calls', 'bifrost-parallel-calls'],
    formats: ALL,
    play: exchangesOf((context) =>
      [false, true].map((isStream) => {
        const usual = request(context, { isStream, tools: [WEATHER] });
        return { request: usual, answer: respond(context, usual, parts) };
      }),
    ),
    ...more,
  };
}

/** A request whose tools are those of the provider itself, by format. */
const HOSTED: Partial<Record<FormatName, readonly JsonObject[]>> = {
  'openai-responses': [
    { type: 'web_search', user_location: { type: 'approximate', country: 'DE' } },
    { type: 'code_interpreter', container: { type: 'auto' } },
    { type: 'mcp', server_label: 'deepwiki', server_url: 'https://mcp.example/', require_approval: 'never' },
  ],
  'anthropic-messages': [
    { type: 'web_search_20250305', name: 'web_search', max_uses: 3, allowed_domains: ['example.org'] },
    { type: 'bash_20250124', name: 'bash' },
  ],
  gemini: [{ googleSearch: {} }, { codeExecution: {} }, { urlContext: {} }],
  'gemini-interactions': [{ type: 'google_search' }, { type: 'code_execution' }],
};

const CUSTOM = {
  type: 'custom',
  name: 'apply_patch',
  description: 'Apply a patch.',
  format: { type: 'grammar', syntax: 'lark', definition: 'start: "*** Begin Patch" /[\\s\\S]+/' },
};

/** Adds members to the body of a request. */
const withMembers =
  (members: JsonObject) =>
  (body: string): string =>
    JSON.stringify({ ...(JSON.parse(body) as JsonObject), ...members });

const SCHEMA: JsonObject = {
  type: 'object',
  $defs: { place: { type: 'object', properties: { city: { type: 'string', minLength: 1 } } } },
  properties: {
    where: { $ref: '#/$defs/place' },
    unit: { enum: ['celsius', 'fahrenheit', null] },
    when: { anyOf: [{ type: 'string', format: 'date-time' }, { type: 'null' }] },
    tags: { type: 'array', items: { type: 'string', pattern: '^[a-z]+$' }, uniqueItems: true, maxItems: 3 },
    size: { type: 'number', exclusiveMinimum: 0, multipleOf: 0.5, default: 1.5 },
    fixed: { const: 'x' },
  },
  required: ['where'],
  additionalProperties: false,
};

/** Definitions, calls and results of tools keep their meaning. */
export const TOOLS_CASES: readonly ConformanceCase[] = [
  declared(
    'schema',
    'Every keyword of a JSON Schema reaches the provider.',
    {
      tools: [{ ...WEATHER, parameters: SCHEMA }],
    },
    {
      formats: [
        'openai-chat',
        'openai-responses',
        'anthropic-messages',
        'bedrock-converse',
        'bedrock-invoke',
        'ollama-chat',
        'gemini',
        'gemini-interactions',
      ],
      sources: ['gonka-strict', 'openai-chat'],
    },
  ),
  declared('names', 'Names of tools keep their case, their characters and their length.', {
    tools: ['a', 'Get_Weather-2', 'mcp__server__tool', 'x'.repeat(64)].map((name) => ({ ...WEATHER, name })),
  }),
  declared(
    'long-name',
    'A name of 128 characters, as Anthropic allows it, reaches the provider.',
    { tools: [{ ...WEATHER, name: 'y'.repeat(128) }] },
    { formats: ['anthropic-messages', 'bedrock-invoke'], sources: ['anthropic-messages'] },
  ),
  declared('descriptions', 'Descriptions of tools keep every character.', {
    tools: [
      {
        ...WEATHER,
        description: `Wetter:\n\t“Grüße” e\u0301 世界 🌍 <b>&amp;</b> {{x}} $y \\n \u0001\r\n${'Long. '.repeat(2_500)}\n`,
      },
    ],
  }),
  declared(
    'order',
    'Tools keep their order, on which prompt caches depend.',
    {
      tools: ['zeta', 'alpha', 'mid', 'beta', 'omega'].map((name) => ({ ...WEATHER, name })),
    },
    { sources: ['anthropic-prompt-caching'] },
  ),
  declared(
    'empty',
    'An empty list of tools stays one.',
    { edit: withMembers({ tools: [] }) },
    { formats: ALL.filter((name) => name !== 'bedrock-converse') },
  ),
  declared('no-parameters', 'A tool without parameters stays one.', {
    tools: [{ ...WEATHER, parameters: { type: 'object', properties: {} } }],
  }),
  declared(
    'strict',
    'The mark for strict arguments reaches the provider.',
    {
      tools: [
        { ...WEATHER, parameters: { ...WEATHER.parameters, additionalProperties: false }, strict: true },
      ],
    },
    { formats: ['openai-chat', 'openai-responses'], sources: ['gonka-strict'] },
  ),
  declared(
    'required',
    'The demand for a call reaches the provider.',
    {
      tools: [WEATHER],
      choice: 'required',
    },
    { formats: ALL.filter((name) => name !== 'ollama-chat') },
  ),
  declared(
    'none',
    'The ban of calls reaches the provider.',
    {
      tools: [WEATHER],
      choice: 'none',
    },
    {
      formats: [
        'openai-chat',
        'openai-responses',
        'anthropic-messages',
        'gemini',
        'gemini-interactions',
        'bedrock-invoke',
      ],
    },
  ),
  declared(
    'named',
    'The choice of one tool by its name reaches the provider.',
    {
      tools: [WEATHER, { ...WEATHER, name: 'other' }],
      choice: { name: 'other' },
    },
    { formats: ALL.filter((name) => name !== 'ollama-chat') },
  ),
  declared(
    'no-parallel-calls',
    'The ban of parallel calls reaches the provider.',
    {
      tools: [WEATHER],
      edit: withMembers({ parallel_tool_calls: false }),
    },
    { formats: ['openai-chat', 'openai-responses'] },
  ),
  declared(
    'no-parallel-use',
    "Anthropic's ban of parallel calls reaches the provider.",
    {
      tools: [WEATHER],
      edit: withMembers({ tool_choice: { type: 'auto', disable_parallel_tool_use: true } }),
    },
    { formats: ['anthropic-messages', 'bedrock-invoke'], sources: ['anthropic-messages'] },
  ),
  {
    id: 'tools/hosted',
    promise: 'Tools that the provider runs itself reach it with their settings.',
    sources: ['anthropic-messages', 'openai-responses'],
    formats: Object.keys(HOSTED) as FormatName[],
    play: exchangesOf((context) => {
      const tools = HOSTED[context.format.name]!;
      const usual = request(context, { edit: withMembers({ tools }) });
      return [{ request: usual, answer: respond(context, request(context), [say('Searched.')]) }];
    }),
  },
  {
    id: 'tools/custom',
    promise: 'Custom tools with a grammar reach the provider.',
    sources: ['openai-responses'],
    formats: ['openai-responses'],
    play: exchangesOf((context) => {
      const usual = request(context, { edit: withMembers({ tools: [CUSTOM] }) });
      const call = {
        type: 'custom_tool_call',
        id: 'ctc_1',
        call_id: 'call_1',
        name: 'apply_patch',
        input: '*** Begin Patch\n',
      };
      const answer = respond(context, request(context), [{ type: 'block', block: call }]);
      return [{ request: usual, answer }];
    }),
  },
  called('call', 'A call reaches the client with its id, its name and its arguments.', [
    callTool('get_weather', { city: 'Köln', days: 3, exact: 1.5, none: null, list: [1, 'two'] }),
  ]),
  called(
    'parallel-calls',
    'Parallel calls stay apart, in order, each with an id of its own.',
    [
      callTool('get_weather', { city: 'Köln' }),
      callTool('get_weather', { city: 'Bonn' }),
      callTool('get_weather', { city: '北京' }),
    ],
    { breaks: 'openai joins calls with the same index to one with invalid arguments' },
  ),
  called('text-and-call', 'Text before a call stays before it.', [
    say('I will ', 'look.'),
    callTool('get_weather', { city: 'Köln' }),
  ]),
  called('no-arguments', 'A call without arguments stays one.', [callTool('get_weather', {})]),
  called('escaped-arguments', 'Arguments with quotes, lines and escapes keep them.', [
    callTool('write_file', { text: '"a"\\n\n\t\\u0041 </script> \u2028 🌍', path: 'C:\\temp\\x' }),
  ]),
  called('undeclared-call', 'A call of a tool that the request does not declare reaches the client.', [
    callTool('not_declared', { a: 1 }),
  ]),
  {
    id: 'tools/results',
    promise: 'Calls and their results in a history reach the provider with the same ids, in order.',
    sources: ['openai-chat', 'anthropic-messages'],
    formats: ALL,
    play: exchangesOf((context) => {
      const first = request(context, { tools: [WEATHER] });
      const calls = [callTool('get_weather', { city: 'Köln' }), callTool('get_weather', { city: 'Bonn' })];
      const answer = respond(context, first, calls);
      const second = proceed(
        context,
        first,
        [...answer.steps].flatMap((step) => (step.type === 'bytes' ? [step.bytes] : [])),
      );
      return [
        { request: first, answer },
        { request: second, answer: respond(context, second, [say('Sunny in both.')]) },
      ];
    }),
  },
];

/** Returns the request that follows on a response with calls. */
export function proceed(
  { format }: CaseContext,
  first: WireRequest,
  response: readonly Uint8Array[],
): WireRequest {
  const body = JSON.parse(Buffer.concat(first.body).toString('utf8')) as JsonObject;
  const answered = JSON.parse(Buffer.concat(response).toString('utf8')) as JsonObject;
  const calls = format.callsIn(answered);
  const reply =
    calls.length === 0
      ? { user: 'Go on.' }
      : { results: calls.map((call, at) => ({ call, text: `Result ${at}: “sunny”\n{"t": 21.0}` })) };
  const next = JSON.stringify(format.proceed(body, answered, reply));
  return post(first.path, first.headers.slice(1), next);
}
