import type { Framing } from '../../src/framing/framing.ts';
import { sse } from '../../src/framing/sse.ts';
import { gemini } from '../../src/gemini/gemini.ts';
import { type ClientAnswer, type FormatFixtures, type RequestOptions, SEARCH } from '../format-fixtures.ts';
import { parsedOrEmpty } from '../parsed-or-empty.ts';
import { type Json, readChunks, readContent } from './read-generation.ts';

/** The conventions of a server. */
export interface GeminiServer {
  readonly framing: Framing;
  readonly hasIds: boolean;
}

/** An answer to write: its parts, and for a stream the pieces that the provider sends. */
interface Answer {
  readonly id: string;
  readonly text?: readonly string[];
  readonly calls?: readonly Json[];
  /** Parts of a stream in place of the calls. */
  readonly pieces?: readonly Json[];
  readonly finishReason?: string;
}

const USAGE = {
  promptTokenCount: 100,
  candidatesTokenCount: 7,
  totalTokenCount: 110,
  promptTokensDetails: [{ modality: 'TEXT', tokenCount: 100 }],
  thoughtsTokenCount: 3,
};

/** The fixtures of a `generateContent` server for the contract suite. */
export function geminiFixtures({ framing, hasIds }: GeminiServer): FormatFixtures {
  const call = (id: string, name: string, args: unknown) => ({ ...(hasIds && { id }), name, args });
  const weather = call('call-weather', 'weather_get', { city: 'Zürich' });
  const mail = call('call-mail', 'mail_send', { to: 'ada', urgency: 1 });
  const search = (id: string, query: string) => call(id, SEARCH, { query });
  const write = (answer: Answer) => ({ stream: writeStream(answer, framing), whole: writeWhole(answer) });
  return {
    format: gemini,
    framing,
    path: '/v1beta/models/gemini-3-pro-preview:generateContent',
    streamPath: '/v1beta/models/gemini-3-pro-preview:streamGenerateContent',
    hasNoCallIds: !hasIds,
    toolsKey: 'tools',
    writeTools: (entries) => `[{"functionDeclarations":[${entries.join(',')}]}]`,
    toolNamesIn: ({ tools }) =>
      (tools as { functionDeclarations: { name: string }[] }[]).flatMap(({ functionDeclarations }) =>
        functionDeclarations.map(({ name }) => name),
      ),
    historyIn: ({ contents }) => contents as unknown[],
    withoutHistory: ({ contents, ...body }) => body,
    otherShapes: ['{"contents":"hello"}', '{"messages":[]}'],
    routes: [
      ['POST', '/v1beta/models/gemini-2.5-flash:generateContent', 'answer'],
      ['POST', '/v1/models/gemini-2.5-flash:streamGenerateContent', 'answer'],
      ['POST', '/v1beta/models/gemini-2.5-flash%3AgenerateContent', 'answer'],
      ['POST', '/v1beta/tunedModels/mine-1:generateContent', 'answer'],
      ['POST', '/models/gemini-2.5-flash:countTokens', 'count_tokens'],
      [
        'POST',
        '/v1/projects/p/locations/global/publishers/google/models/gemini-3-pro:streamGenerateContent',
        'answer',
      ],
      ['POST', '/v1beta1/projects/p/locations/us-central1/endpoints/123:generateContent', 'answer'],
    ],
    otherRoutes: [
      ['GET', '/v1beta/models/gemini-2.5-flash'],
      ['GET', '/v1beta/models/gemini-2.5-flash:generateContent'],
      ['POST', '/v1beta/models/gemini-2.5-flash:batchGenerateContent'],
      ['POST', '/v1beta/models/gemini-2.5-flash:embedContent'],
      ['POST', '/v1beta/cachedContents'],
      ['POST', '/v1beta/interactions'],
      ['POST', '/v1internal:streamGenerateContent'],
      ['POST', '/v1beta/openai/chat/completions'],
      ['POST', '/v1/projects/p/locations/l/publishers/anthropic/models/claude:rawPredict'],
    ],
    hasWholeCalls: true,
    ownChoices: [
      '"toolConfig":{"functionCallingConfig":{"mode":"ANY","allowedFunctionNames":["file_read"]}},',
      '"tool_config":{"function_calling_config":{"mode":"ANY"},"x":1},',
      '"toolConfig":{"x":1},',
    ],
    cutReason: 'MAX_TOKENS',
    otherCutReasons: ['SAFETY', 'RECITATION', 'TOO_MANY_TOOL_CALLS'],
    usage: { inputTokens: 100, outputTokens: 10, cachedInputTokens: 0 },
    answers: {
      text: write({ id: 'r-text', text: ['Grüezi', ', 世界', ' 👋'] }),
      call: write({ id: 'r-call', text: ['I ask.'], calls: [weather] }),
      two_calls: write({ id: 'r-calls', calls: [weather, mail] }),
      search: write({ id: 'r-search', text: ['Let me ', 'look. '], calls: [search('call-s1', 'weather')] }),
      two_searches: write({
        id: 'r-two',
        calls: [search('call-s2', 'weather'), search('call-s3', 'mail')],
      }),
      search_beside_call: write({ id: 'r-mixed', calls: [search('call-s4', 'mail'), weather] }),
      call_beside_search: write({ id: 'r-mixed', calls: [weather, search('call-s5', 'mail')] }),
      malformed_search: write({ id: 'r-bad', calls: [call('call-s6', SEARCH, { query: {} })] }),
      cut_search: write({
        id: 'r-cut',
        text: ['I look.'],
        calls: [search('call-s7', 'we')],
        pieces: [
          { functionCall: { name: SEARCH, willContinue: true }, thoughtSignature: 'c2lnbmVk' },
          {
            functionCall: {
              partialArgs: [{ jsonPath: '$.query', stringValue: 'we', willContinue: true }],
              willContinue: true,
            },
          },
        ],
        finishReason: 'MAX_TOKENS',
      }),
    },
    writeAnswer: ({ id, text, calls, isCut }) =>
      write({
        id,
        ...(text !== undefined && { text: [text] }),
        ...(calls.length > 0 && {
          calls: calls.map((one) => call(one.id, one.name, parsedOrEmpty(one.arguments))),
        }),
        ...(isCut && { finishReason: 'MAX_TOKENS' }),
      }),
    writeStreamError: (message) => {
      const error = JSON.stringify({ error: { code: 503, message, status: 'UNAVAILABLE' } });
      return framing === sse ? `data: ${error}\r\n\r\n` : `,\r\n${error}]`;
    },
    writeTool: (name, description) =>
      `{"name":"${name}","description":"${description}","parameters":{"type":"OBJECT"}}`,
    writeRequest,
    writeUserMessage: (text) => JSON.stringify({ role: 'user', parts: [{ text }] }),
    goOn: ({ message, calls }) => [
      message,
      JSON.stringify({
        role: 'user',
        parts:
          calls.length === 0
            ? [{ text: 'Go on.' }]
            : calls.map(({ id, name }) => ({
                functionResponse: { ...(hasIds && { id }), name, response: { output: 'Done.' } },
              })),
      }),
    ],
    readStream: (stream) => readChunks(stream, framing),
    readWhole: (body) => readWhole(body),
  };
}

function writeRequest({ tools, firstMembers = '', messages = [] }: RequestOptions): string {
  const listed = tools.length === 0 ? '' : `,"tools":[{"functionDeclarations":[${tools.join(',')}]}]`;
  return `{${firstMembers}"contents":[${messages.join(',')}]${listed}}`;
}

function readWhole(body: string): ClientAnswer {
  const { responseId, candidates, usageMetadata } = JSON.parse(body);
  const [{ content, finishReason }] = candidates;
  return readContent({
    id: responseId,
    parts: content.parts,
    stopReason: finishReason,
    usage: usageMetadata,
  });
}

/** Signs the first call, like the provider. */
function callParts({ calls = [] }: Answer): Json[] {
  return calls.map((functionCall, index) => ({
    functionCall,
    ...(index === 0 && { thoughtSignature: 'c2lnbmVk' }),
  }));
}

function writeWhole(answer: Answer): string {
  const { id, text, finishReason = 'STOP' } = answer;
  const parts = [...(text ? [{ text: text.join('') }] : []), ...callParts(answer)];
  const message = answer.calls && { finishMessage: 'Model generated function call(s).' };
  const candidate = { content: { parts, role: 'model' }, finishReason, index: 0, ...message };
  const head = { modelVersion: 'gemini-3-pro-preview', responseId: id };
  return JSON.stringify({ candidates: [candidate], usageMetadata: USAGE, ...head }, null, 2);
}

function writeStream(answer: Answer, framing: Framing): string {
  const { id, text = [], pieces, finishReason = 'STOP' } = answer;
  const chunk = (parts: readonly Json[], candidatesTokenCount: number, more: Json = {}) =>
    JSON.stringify({
      candidates: [{ content: { parts, role: 'model' }, ...more, index: 0 }],
      usageMetadata: { ...USAGE, candidatesTokenCount, totalTokenCount: 103 + candidatesTokenCount },
      modelVersion: 'gemini-3-pro-preview',
      responseId: id,
    });
  const calls = pieces?.map((piece) => [piece]) ?? (answer.calls ? [callParts(answer)] : []);
  const spoken = [...text.map((piece) => [{ text: piece }]), ...calls];
  const chunks = [
    ...spoken.map((parts, index) => chunk(parts, index + 1)),
    chunk([{ text: '' }], USAGE.candidatesTokenCount, { finishReason }),
  ];
  if (framing === sse) return chunks.map((data) => `data: ${data}\r\n\r\n`).join('');
  return `[${chunks.join(',\r\n')}\r\n]`;
}
