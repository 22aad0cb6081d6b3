import { BodyBytes, FORMATS, matchRoute, type RequestView } from '@winnow/wire';

/** The parts of a test's request. */
export interface RequestParts {
  readonly tools: readonly TestTool[];
  readonly user?: string;
  /** Names of tools that the history calls, each with its result. */
  readonly called?: readonly string[];
  /** Further fields of the body. */
  readonly more?: Readonly<Record<string, unknown>>;
}

/** A tool by its name or with more fields; one with a `type` is hosted by the provider. */
export type TestTool =
  | string
  | {
      readonly name: string;
      readonly description?: string;
      readonly parameters?: readonly string[];
      readonly type?: string;
      readonly isCacheMarked?: boolean;
    };

/** The view of an Anthropic request, read as the proxy reads it. */
export function viewOf({ tools, user = 'hello', called = [], more = {} }: RequestParts): RequestView {
  const messages = [
    { role: 'user', content: 'begin' },
    ...called.flatMap((name, number) => [
      { role: 'assistant', content: [{ type: 'tool_use', id: `toolu_${number}`, name, input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: `toolu_${number}`, content: 'ok' }] },
    ]),
    ...(called.length > 0 ? [{ role: 'assistant', content: 'done' }] : []),
    { role: 'user', content: user },
  ];
  const format = FORMATS.find((one) => matchRoute(one.reading, 'POST', '/v1/messages') === 'answer')!;
  const body = { model: 'claude-opus-4-5', max_tokens: 1, tools: tools.map(toAnthropic), messages, ...more };
  const reading = format.reading.readRequest(new BodyBytes([Buffer.from(JSON.stringify(body))]), {
    purpose: 'answer',
    searchToolName: 'gateway_search_tools',
    path: '/v1/messages',
    query: '',
  });
  if (!reading.ok) throw new Error(reading.reason);
  return reading.view;
}

function toAnthropic(tool: TestTool): object {
  if (typeof tool === 'string') return { name: tool, description: '', input_schema: { type: 'object' } };
  const { name, description = '', parameters = [], type, isCacheMarked } = tool;
  if (type !== undefined) return { type, name };
  const properties = Object.fromEntries(parameters.map((parameter) => [parameter, { type: 'string' }]));
  return {
    name,
    description,
    input_schema: { type: 'object', properties },
    ...(isCacheMarked && { cache_control: { type: 'ephemeral' } }),
  };
}
