import { inject } from 'vitest';
import { CATALOGUE, type CatalogueTool } from './catalogue.ts';

/** The wire formats that these tests write by hand. */
export type WireFormat = 'openai' | 'anthropic';

/** A few tools, for tests whose subject is not the conversation. */
export const FEW_TOOLS: readonly CatalogueTool[] = CATALOGUE.slice(0, 12);

/** The same tools as OpenAI Responses declares them. */
export const RESPONSES_TOOLS = FEW_TOOLS.map(({ name, description, parameters }) => ({
  type: 'function' as const,
  name,
  description,
  parameters: parameters as Record<string, unknown>,
  strict: false,
}));

/** A request as a client would write it. */
export interface RawRequest {
  readonly format: WireFormat;
  readonly url: string;
  readonly isStream?: boolean;
  readonly user?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Fields in addition to those that every request has. */
  readonly more?: Readonly<Record<string, unknown>>;
  readonly signal?: AbortSignal;
}

/** The path of a format's requests. */
export const PATH_OF: Readonly<Record<WireFormat, string>> = {
  openai: '/v1/chat/completions',
  anthropic: '/v1/messages',
};

/** A format with a load mode. */
export type FormatMode = readonly [WireFormat, 'swap' | 'bridge'];

/** Both formats in both modes; unless in exhaustive mode, of bridge mode only the given formats. */
export const rowsOfModes = (...sample: readonly WireFormat[]): readonly FormatMode[] => [
  ...BOTH.map((format): FormatMode => [format, 'swap']),
  ...(inject('isExhaustive') ? BOTH : sample).map((format): FormatMode => [format, 'bridge']),
];

const BOTH: readonly WireFormat[] = ['openai', 'anthropic'];

/** The settings of a load mode at the upstreams of these formats. */
export const loadBy = (mode: 'swap' | 'bridge' | 'native'): Record<string, string> =>
  Object.fromEntries(
    ['OPENAI', 'ANTHROPIC', 'GEMINI', 'BEDROCK', 'OLLAMA'].map((name) => [
      `PROXY_UPSTREAMS_${name}_LOAD`,
      mode,
    ]),
  );

/** Whether a request defines a tool, among its tools or in a text. */
export const defines = (body: string, name: string): boolean =>
  body.replaceAll('\\"', '"').includes(`"name":"${name}","description"`);

/** The body of a request with a few tools, as text. */
export function bodyOf({ format, isStream = false, user = 'Do it.', more = {} }: RawRequest): string {
  const messages = [{ role: 'user', content: user }];
  if (format === 'openai') {
    const tools = FEW_TOOLS.map((tool) => ({ type: 'function', function: tool }));
    return JSON.stringify({ model: 'gpt-test', messages, tools, stream: isStream, ...more });
  }
  const tools = FEW_TOOLS.map(({ name, description, parameters }) => ({
    name,
    description,
    input_schema: parameters,
  }));
  const model = 'claude-opus-4-5';
  return JSON.stringify({ model, max_tokens: 100, messages, tools, stream: isStream, ...more });
}

/** Sends a request and returns the response with its body unread. */
export function send(request: RawRequest, body = bodyOf(request)): Promise<Response> {
  return fetch(`${request.url}${PATH_OF[request.format]}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(request.format === 'anthropic'
        ? { 'x-api-key': 'key', 'anthropic-version': '2023-06-01' }
        : { authorization: 'Bearer key' }),
      ...request.headers,
    },
    body,
    ...(request.signal && { signal: request.signal }),
  });
}
