/** The client whose request a body imitates. */
export type BodyShape =
  | 'openai'
  | 'responses'
  | 'anthropic'
  | 'hosted'
  | 'namespaces'
  | 'gemini'
  | 'interactions'
  | 'converse'
  | 'invoke'
  | 'selector';

/** The destination of hostile requests. */
export interface HostileTarget {
  readonly shape: BodyShape;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The parts of a body, as JSON. */
export interface BodyParts {
  readonly tools?: string;
  /** The user's text, or the search pattern. */
  readonly text?: string;
  /** Further members, each followed by a comma. */
  readonly more?: string;
}

/** A search by a client of Responses, with its result. */
const CLIENT_SEARCH = '{"type":"tool_search","execution":"client","parameters":{"type":"object"}}';
const FOUND = [
  '{"type":"tool_search_call","call_id":"call_1","execution":"client","arguments":{"query":"x"}}',
  '{"type":"tool_search_output","call_id":"call_1","execution":"client","tools":[{"type":"namespace","name":"n","tools":[{"type":"function","name":"a","defer_loading":true}]}]}',
  '{"type":"function_call","call_id":"call_2","namespace":"n","name":"a","arguments":"{"}',
].join();

/** A search that Anthropic ran itself, and the message that contains it. */
const HOSTED = '{"type":"tool_search_tool_regex_20251119","name":"tool_search_tool_regex"}';
const SEARCHED = JSON.stringify({
  role: 'assistant',
  content: [
    { type: 'server_tool_use', id: 'srvtoolu_1', name: 'tool_search_tool_regex', input: { pattern: '(' } },
    {
      type: 'tool_search_tool_result',
      tool_use_id: 'srvtoolu_1',
      content: { type: 'tool_search_tool_search_result', tool_references: [{ tool_name: 'a' }] },
    },
    { type: 'server_tool_use', id: 'srvtoolu_2', name: 'tool_search_tool_regex', input: 7 },
  ],
});

/** Writes a body of that shape. Inserted values are not checked. */
export function writeBody(shape: BodyShape, parts: BodyParts): string {
  const {
    tools = `[${writeTool(shape, '"a"')},${writeTool(shape, '"b"')}]`,
    text = '"x"',
    more = '',
  } = parts;
  if (shape === 'selector') return `{${more}"pattern":${text},"tools":${tools}}`;
  if (shape === 'gemini') {
    const contents = `[{"role":"user","parts":[{"text":${text}}]}]`;
    return `{${more}"contents":${contents},"tools":[{"functionDeclarations":${tools}}]}`;
  }
  if (shape === 'converse') {
    const content = `[{"role":"user","content":[{"text":${text}}]}]`;
    return `{${more}"messages":${content},"toolConfig":{"tools":${tools}}}`;
  }
  if (shape === 'namespaces') {
    const said = `[{"role":"user","content":${text}},${FOUND}]`;
    return `{${more}"model":"m","input":${said},"tools":[${CLIENT_SEARCH},{"type":"namespace","name":"n","tools":${tools}}]}`;
  }
  if (shape === 'responses' || shape === 'interactions')
    return `{${more}"model":"m","input":${text},"tools":${tools}}`;
  if (shape === 'hosted') {
    const said = `[{"role":"user","content":${text}},${SEARCHED},{"role":"user","content":"x"}]`;
    const all = tools.startsWith('[{') ? `[${HOSTED},${tools.slice(1)}` : tools;
    return `{${more}"model":"m","max_tokens":9,"messages":${said},"tools":${all}}`;
  }
  const messages = `[{"role":"user","content":${text}}]`;
  if (shape === 'invoke') {
    return `{${more}"anthropic_version":"bedrock-2023-05-31","max_tokens":9,"messages":${messages},"tools":${tools}}`;
  }
  const model = shape === 'openai' ? '"model":"m"' : '"model":"claude-opus-4-5","max_tokens":9';
  return `{${more}${model},"messages":${messages},"tools":${tools}}`;
}

/** Writes a body with that many messages, or the shape's equivalent. */
export function writeMessages(shape: BodyShape, listOf: (element: string) => string): string {
  const message = '{"role":"user","content":"x"}';
  switch (shape) {
    case 'selector':
      return `{"pattern":${listOf(message)}}`;
    case 'gemini':
      return `{"contents":${listOf('{"role":"user","parts":[{"text":"x"}]}')},"tools":[]}`;
    case 'responses':
      return `{"model":"m","input":${listOf(message)},"tools":[]}`;
    case 'interactions':
      return `{"model":"m","input":${listOf('{"type":"user_input","content":[{"type":"text","text":"x"}]}')},"tools":[]}`;
    case 'converse':
      return `{"messages":${listOf('{"role":"user","content":[{"text":"x"}]}')},"toolConfig":{"tools":[]}}`;
    case 'invoke':
      return `{"anthropic_version":"bedrock-2023-05-31","messages":${listOf(message)},"tools":[]}`;
    case 'namespaces':
      return `{"model":"m","input":${listOf(FOUND)},"tools":[${CLIENT_SEARCH}]}`;
    case 'hosted':
      return `{"model":"m","messages":${listOf(SEARCHED)},"tools":[${HOSTED}]}`;
    case 'openai':
    case 'anthropic':
      return `{"model":"m","messages":${listOf(message)},"tools":[]}`;
    default:
      return shape satisfies never;
  }
}

/** Writes a tool of that shape; name and schema are given as JSON. */
export function writeTool(shape: BodyShape, name: string, schema = '{"type":"object"}'): string {
  switch (shape) {
    case 'openai':
      return `{"type":"function","function":{"name":${name},"parameters":${schema}}}`;
    case 'converse':
      return `{"toolSpec":{"name":${name},"inputSchema":{"json":${schema}}}}`;
    case 'hosted':
      return `{"name":${name},"input_schema":${schema},"defer_loading":true}`;
    case 'invoke':
    case 'anthropic':
      return `{"name":${name},"input_schema":${schema}}`;
    case 'namespaces':
    case 'responses':
    case 'interactions':
      return `{"type":"function","name":${name},"parameters":${schema}}`;
    case 'gemini':
      return `{"name":${name},"parametersJsonSchema":${schema}}`;
    case 'selector':
      return `{"name":${name},"definition":{"input_schema":${schema}}}`;
    default:
      return shape satisfies never;
  }
}
