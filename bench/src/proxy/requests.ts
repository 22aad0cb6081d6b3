import { type GeneratedTool, generateQueries, generateTools, toProviderTool } from '@winnow/testkit';
import type { HostileKind } from './hostile-answers.ts';

/** The response that a request asks of the upstream. */
export type AnswerKind =
  /** One JSON response of text. */
  | 'whole'
  /** The same as a stream. */
  | 'stream'
  /** The same with 1,000 events. */
  | 'long'
  /** A stream that searches for tools; after the search, as `stream`. */
  | 'search'
  /** The same search; after it, as `long`. */
  | 'long-search'
  /** A stream that begins and never ends. */
  | 'unending'
  | HostileKind;

/** The differences between one request and the next. */
export interface RequestHead {
  readonly answer: AnswerKind;
  /** The query of a search. */
  readonly query?: string;
  /** The conversation's name; without it, the first message identifies the conversation. */
  readonly session?: string;
}

/** Formats that requests are measured in. */
export type BenchFormat =
  | 'openai-chat'
  | 'openai-responses'
  | 'anthropic-messages'
  | 'gemini'
  | 'gemini-interactions'
  | 'ollama-chat'
  | 'bedrock-converse'
  | 'anthropic-bedrock';

/** The path of each format's requests. For Gemini and Bedrock, a suffix selects a stream. */
export const BENCH_PATHS: Readonly<Record<BenchFormat, string>> = {
  'openai-chat': '/v1/chat/completions',
  'openai-responses': '/v1/responses',
  'anthropic-messages': '/v1/messages',
  gemini: '/v1beta/models/bench-1',
  'gemini-interactions': '/v1beta/interactions',
  'ollama-chat': '/api/chat',
  'bedrock-converse': '/model/bench-1',
  'anthropic-bedrock': '/model/anthropic.bench-1',
};

/** A body, and a need that one of its tools meets. */
export interface BenchBody {
  /** Default: Chat Completions. */
  readonly format?: BenchFormat;
  /** The suffix of the format's path. */
  readonly method?: string;
  readonly bytes: Buffer;
  /** Empty if there are no tools. */
  readonly query: string;
}

/** As many tools as several servers together have. */
export const TOOLS = 200;

/**
 * Size of a tool in a search; in a request, without the second copy of name and description, it is just under
 * 700 bytes.
 */
const MEAN_TOOL_BYTES = 860;

const MESSAGES = [
  {
    role: 'system',
    content: 'You are a helpful assistant that answers briefly and uses tools when they fit. '.repeat(10),
  },
  { role: 'user', content: 'What is there to do today, and what can wait until next week?' },
];

/** Returns a request without tools, about 1 KB. `isStream` must match the requested response. */
export function smallBody(isStream: boolean): BenchBody {
  return { format: 'openai-chat', bytes: Buffer.from(JSON.stringify(members(isStream))), query: '' };
}

/** Returns a request with 200 tools, about 140 KB; another seed gives other tools. */
export function bodyWithTools(
  isStream: boolean,
  seed: number,
  format: BenchFormat = 'openai-chat',
): BenchBody {
  const catalogue = generateTools({ count: TOOLS, seed, meanBytes: MEAN_TOOL_BYTES });
  const tools = catalogue.map((tool) => toProviderTool(tool, 'openai'));
  const [query = ''] = generateQueries(catalogue, { count: 1, seed });
  const write = (body: object) => ({ format, bytes: Buffer.from(JSON.stringify(body)), query });
  switch (format) {
    case 'openai-chat':
      return write({ ...members(isStream), tools });
    case 'openai-responses':
      return write(responsesMembers(isStream, tools));
    case 'anthropic-messages':
      return write(messagesMembers(isStream, catalogue));
    case 'ollama-chat':
      return write({ ...members(isStream), tools });
    case 'gemini': {
      const method = isStream ? ':streamGenerateContent?alt=sse' : ':generateContent';
      return { ...write(geminiMembers(catalogue)), method };
    }
    case 'gemini-interactions':
      return write(interactionsMembers(isStream, catalogue));
    case 'bedrock-converse':
      return { ...write(converseMembers(catalogue)), method: isStream ? '/converse-stream' : '/converse' };
    case 'anthropic-bedrock': {
      const { model, stream, ...members } = messagesMembers(isStream, catalogue);
      const method = isStream ? '/invoke-with-response-stream' : '/invoke';
      return { ...write({ anthropic_version: 'bedrock-2023-05-31', ...members }), method };
    }
  }
}

/** Returns the second request of the conversation that {@link bodyWithTools} of the first seed begins. */
export function nextBody(): BenchBody {
  const { bytes, ...rest } = bodyWithTools(false, 1);
  const body = JSON.parse(bytes.toString()) as { messages: object[] };
  body.messages.push(
    { role: 'assistant', content: 'The report is due today. The meeting can wait until next week.' },
    { role: 'user', content: 'Then let us begin with the report.' },
  );
  return { ...rest, bytes: Buffer.from(JSON.stringify(body)) };
}

const OPENING_CHARS = 800;
const NUMBER = '#00000000';

/** Returns a first request with the same tools, and a message of several needs that ends with a number. */
export function bodyOfConversation(isStream: boolean): BenchBody {
  const catalogue = generateTools({ count: TOOLS, seed: 1, meanBytes: MEAN_TOOL_BYTES });
  const queries = generateQueries(catalogue, { count: OPENING_CHARS / 8, seed: 1 });
  const words = queries.join('. ').slice(0, OPENING_CHARS - NUMBER.length);
  const messages = [MESSAGES[0], { role: 'user', content: `${words}${NUMBER}` }];
  const tools = catalogue.map((tool) => toProviderTool(tool, 'openai'));
  const body = { ...members(isStream), messages, tools };
  return { format: 'openai-chat', bytes: Buffer.from(JSON.stringify(body)), query: queries[0] ?? '' };
}

/**
 * Returns a function that returns the same request each time, with another number in place of {@link NUMBER}: a
 * copy of each would take more memory than what is measured.
 */
export function numbered(request: Buffer): () => Buffer {
  const at = request.indexOf(NUMBER);
  if (at < 0) throw new Error('the request has no number');
  let next = 0;
  return () => {
    next += 1;
    request.write(`#${String(next).padStart(NUMBER.length - 1, '0')}`, at);
    return request;
  };
}

/** Returns the same request in Messages. */
function messagesMembers(isStream: boolean, catalogue: readonly GeneratedTool[]) {
  const [system, ...messages] = MESSAGES;
  const tools = catalogue.map((tool) => toProviderTool(tool, 'anthropic'));
  return { model: 'bench-1', max_tokens: 1_024, system: system!.content, messages, stream: isStream, tools };
}

/** Returns the same request for Converse. */
function converseMembers(catalogue: readonly GeneratedTool[]): object {
  const [system, user] = MESSAGES.map(({ content }) => [{ text: content }]);
  const tools = catalogue.map(({ name, description, parameters }) => ({
    toolSpec: { name, description, inputSchema: { json: parameters } },
  }));
  return { system, messages: [{ role: 'user', content: user }], toolConfig: { tools } };
}

/** Returns the same request for Gemini. */
function geminiMembers(catalogue: readonly GeneratedTool[]): object {
  const [system, user] = MESSAGES.map(({ content }) => [{ text: content }]);
  const functionDeclarations = catalogue.map(({ name, description, parameters }) => ({
    name,
    description,
    parametersJsonSchema: parameters,
  }));
  return {
    systemInstruction: { parts: system },
    contents: [{ role: 'user', parts: user }],
    tools: [{ functionDeclarations }],
  };
}

/**
 * Returns the same request for an interaction. It is not stored, so that the direct way and the proxy keep
 * the same amount.
 */
function interactionsMembers(isStream: boolean, catalogue: readonly GeneratedTool[]): object {
  const [system, user] = MESSAGES;
  const tools = catalogue.map(({ name, description, parameters }) => ({
    type: 'function',
    name,
    description,
    parameters,
  }));
  return {
    model: 'bench-1',
    system_instruction: system!.content,
    input: [{ type: 'user_input', content: [{ type: 'text', text: user!.content }] }],
    stream: isStream,
    store: false,
    tools,
  };
}

/**
 * Returns the same request in Responses, where functions are flat. It is not stored, so that the direct way
 * and the proxy keep the same amount.
 */
function responsesMembers(isStream: boolean, tools: readonly unknown[]): object {
  const [system, ...input] = MESSAGES;
  const functions = (tools as readonly { readonly function: object }[]).map((tool) => ({
    type: 'function',
    ...tool.function,
  }));
  return {
    model: 'bench-1',
    instructions: system!.content,
    input,
    stream: isStream,
    store: false,
    tools: functions,
  };
}

/** Returns the bytes of a request, head and body, as sent. */
export function requestBytes(
  { format = 'openai-chat', method = '', bytes }: BenchBody,
  { answer, query, session }: RequestHead,
): Buffer {
  const head = [
    `POST ${BENCH_PATHS[format]}${method} HTTP/1.1`,
    'Host: 127.0.0.1',
    'Content-Type: application/json',
    `Content-Length: ${bytes.length}`,
    'Authorization: Bearer bench',
    'Accept: application/json',
    'User-Agent: winnow-bench',
    `X-Bench-Answer: ${answer}`,
  ];
  if (query !== undefined) head.push(`X-Bench-Query: ${query}`);
  if (session !== undefined) head.push(`X-Winnow-Session: ${session}`);
  return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), bytes]);
}

function members(isStream: boolean): object {
  return { model: 'bench-1', messages: MESSAGES, stream: isStream };
}
