import { request } from 'node:http';
import type { AnswerShape } from '@winnow/testkit';
import { type Judgement, judgeAnswered } from './judge-answered.ts';
import { ANSWER_HEADER, HOSTED_SEARCH } from './start-hostile-upstream.ts';

/** One valid request, and instructions for the upstream's response. */
export interface HostileAsk {
  readonly shape: AnswerShape;
  /** Whether the client defers by itself while its upstream cannot; only for `anthropic` and `responses`. */
  readonly isPolyfilled?: boolean;
  readonly isStream: boolean;
  readonly seed: number;
  readonly size: number;
}

const NAMES = Array.from({ length: 30 }, (_, number) => `tool_${number}`);

function routeOf({ shape, isStream, isPolyfilled }: HostileAsk): string {
  if (isPolyfilled)
    return shape === 'anthropic' ? '/hostileplain/v1/messages' : '/hostileplainopenai/v1/responses';
  switch (shape) {
    case 'openai':
      return '/hostileopenai/v1/chat/completions';
    case 'responses':
      return '/hostileopenai/v1/responses';
    case 'anthropic':
      return '/hostileanthropic/v1/messages';
    case 'interactions':
      return '/hostilegemini/v1beta/interactions';
    case 'ollama':
      return '/hostileollama/api/chat';
    case 'converse':
      return `/hostilebedrock/model/m/converse${isStream ? '-stream' : ''}`;
    case 'invoke':
      return `/hostilebedrock/model/m/invoke${isStream ? '-with-response-stream' : ''}`;
    case 'gemini':
    case 'gemini-array': {
      const method = isStream ? 'streamGenerateContent' : 'generateContent';
      return `/hostilegemini/v1beta/models/m:${method}${shape === 'gemini' ? '?alt=sse' : ''}`;
    }
    default:
      return shape satisfies never;
  }
}

/** The limits in bytes and time after which a client stops reading a response. */
const [MOST_BYTES, MOST_MS] = [4_000_000, 1_500];

/** Sends a request as a well-behaved client does, leaves at its limits, and judges the response so far. */
export function askHostile(proxyUrl: string, ask: HostileAsk, patienceMs: number): Promise<Judgement> {
  const { shape, isStream, seed, size } = ask;
  const body = JSON.stringify(ask.isPolyfilled ? deferringBody(shape, isStream) : bodyOf(shape, isStream));
  const headers = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    authorization: `Bearer client-${seed % 7}`,
    [ANSWER_HEADER]: [seed, shape, isStream ? 'stream' : 'whole', size].join(),
  };
  return new Promise((resolve, reject) => {
    const sent = request(proxyUrl + routeOf(ask), { method: 'POST', agent: false, headers });
    const patience = setTimeout(() => reject(new Error('no answer and no end')), patienceMs);
    const settle = (judgement: Judgement) => {
      clearTimeout(patience);
      clearTimeout(boredom);
      sent.destroy();
      resolve(judgement);
    };
    // Until the head arrives, a client that asked for a stream waits no longer than it would read one.
    const boredom = setTimeout(() => settle({ outcome: 'left' }), MOST_MS);
    sent.on('response', (response) => {
      const pieces: Buffer[] = [];
      let bytes = 0;
      const judge = (isWhole: boolean) =>
        settle(
          judgeAnswered({ status: response.statusCode!, headers: response.rawHeaders, pieces, isWhole }),
        );
      response.on('data', (piece: Buffer) => {
        pieces.push(piece);
        bytes += piece.length;
        if (bytes > MOST_BYTES) judge(false);
      });
      response.on('end', () => judge(response.complete));
      response.on('error', () => judge(false));
    });
    sent.on('error', () => settle({ outcome: 'closed' }));
    sent.end(body);
  });
}

function bodyOf(shape: AnswerShape, isStream: boolean): object {
  const parameters = { type: 'object', properties: {} };
  const declarations = NAMES.map((name) => ({ name, description: name, parameters }));
  const text = 'Hello';
  switch (shape) {
    case 'gemini':
    case 'gemini-array':
      return {
        contents: [{ role: 'user', parts: [{ text }] }],
        tools: [{ functionDeclarations: declarations }],
      };
    case 'converse': {
      const tools = NAMES.map((name) => ({
        toolSpec: { name, description: name, inputSchema: { json: parameters } },
      }));
      return { messages: [{ role: 'user', content: [{ text }] }], toolConfig: { tools } };
    }
    case 'invoke': {
      const tools = NAMES.map((name) => ({ name, description: name, input_schema: parameters }));
      const messages = [{ role: 'user', content: text }];
      return { anthropic_version: 'bedrock-2023-05-31', max_tokens: 100, messages, tools };
    }
    case 'interactions':
    case 'responses': {
      const tools = declarations.map((declaration) => ({ type: 'function', ...declaration }));
      return { model: 'm', stream: isStream, input: text, tools };
    }
    case 'anthropic': {
      const tools = NAMES.map((name) => ({ name, description: name, input_schema: parameters }));
      return { ...chatOf(text, isStream), tools };
    }
    case 'openai':
    case 'ollama': {
      const tools = declarations.map((declaration) => ({ type: 'function', function: declaration }));
      return { ...chatOf(text, isStream), tools };
    }
    default:
      return shape satisfies never;
  }
}

/** Whether the client searches by itself or leaves that to its provider. */
function deferringBody(shape: AnswerShape, isStream: boolean): object {
  if (shape === 'responses') {
    const tools = NAMES.map((name) => ({ type: 'function', name, parameters: { type: 'object' } }));
    const search = { type: 'tool_search', execution: 'client', parameters: { type: 'object' } };
    const namespace = { type: 'namespace', name: 'n', description: 'N', tools };
    return { model: 'm', stream: isStream, store: false, input: 'Hello', tools: [search, namespace] };
  }
  const input_schema = { type: 'object', properties: {} };
  const deferred = NAMES.map((name) => ({ name, description: name, input_schema, defer_loading: true }));
  return {
    ...chatOf('Hello', isStream),
    tools: [{ type: `${HOSTED_SEARCH}_20251119`, name: HOSTED_SEARCH }, ...deferred],
  };
}

function chatOf(content: string, stream: boolean): object {
  return { model: 'm', max_tokens: 100, stream, messages: [{ role: 'user', content }] };
}
