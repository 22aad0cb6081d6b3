import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createMcpHandler, ProtocolError, Server, type ServerContext } from '@modelcontextprotocol/server';

/**
 * An MCP server with everything that the vendor's conformance suite asks a server for, written from the descriptions of its scenarios.
 *
 * Source: https://github.com/modelcontextprotocol/conformance
 */

/** A PNG and a WAV of almost nothing. */
const IMAGE = {
  data: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  mimeType: 'image/png',
};
const AUDIO = { data: 'UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA=', mimeType: 'audio/wav' };

type Answers = Readonly<Record<string, { readonly content?: Readonly<Record<string, unknown>> } | undefined>>;

/** A call of a tool or prompt, with what the client sent in later rounds. */
interface Call {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly answers: Answers | undefined;
  readonly state: string | undefined;
  readonly context: ServerContext;
}

type Result = Readonly<Record<string, unknown>>;

const text = (said: string) => ({ type: 'text', text: said });
const textResult = (said: string): Result => ({ content: [text(said)] });
const embedded = (uri: string, said: string) => ({
  type: 'resource',
  resource: { uri, mimeType: 'text/plain', text: said },
});

/** Asks the user for some fields. */
const elicit = (message: string, ...fields: readonly string[]) => ({
  method: 'elicitation/create',
  params: {
    message,
    mode: 'form',
    requestedSchema: {
      type: 'object',
      properties: Object.fromEntries(
        fields.map((field) => [field, { type: field === 'ok' ? 'boolean' : 'string' }]),
      ),
      required: fields,
    },
  },
});
const sample = (said: string) => ({
  method: 'sampling/createMessage',
  params: { messages: [{ role: 'user', content: text(said) }], maxTokens: 100 },
});
const ROOTS = { method: 'roots/list', params: {} };

const ask = (inputRequests: Result, requestState?: string): Result => ({
  resultType: 'input_required',
  inputRequests,
  ...(requestState !== undefined && { requestState }),
});

const capabilitiesOf = ({ mcpReq }: ServerContext): Readonly<Record<string, unknown>> => {
  const envelope = { ...mcpReq._meta, ...(mcpReq.envelope as object | undefined) } as Record<string, unknown>;
  return (envelope['io.modelcontextprotocol/clientCapabilities'] ?? {}) as Record<string, unknown>;
};

/** Gives a result once a key is answered, and asks for it before. */
const asking =
  (key: string, request: Result, answered: string, state?: string) =>
  ({ answers }: Call): Result =>
    answers?.[key] === undefined ? ask({ [key]: request }, state) : textResult(answered);

const TOOLS: Readonly<Record<string, (call: Call) => Result | Promise<Result>>> = {
  test_simple_text: () => textResult('This is a simple text response for testing.'),
  test_image_content: () => ({ content: [{ type: 'image', ...IMAGE }] }),
  test_audio_content: () => ({ content: [{ type: 'audio', ...AUDIO }] }),
  test_embedded_resource: () => ({
    content: [embedded('test://embedded-resource', 'This is an embedded resource content.')],
  }),
  test_multiple_content_types: () => ({
    content: [
      text('Multiple content types test:'),
      { type: 'image', ...IMAGE },
      embedded('test://mixed-content-resource', '{"test":"data","value":123}'),
    ],
  }),
  test_error_handling: () => ({
    ...textResult('This tool intentionally returns an error for testing'),
    isError: true,
  }),
  test_tool_with_progress: async ({ context: { mcpReq } }) => {
    const progressToken = mcpReq._meta?.progressToken;
    for (const progress of [0, 50, 100]) {
      if (progressToken === undefined) continue;
      await mcpReq.notify({
        method: 'notifications/progress',
        params: { progressToken, progress, total: 100, message: `Completed ${progress} of 100` },
      });
    }
    return textResult('done');
  },
  test_tool_with_logging: async ({ context: { mcpReq } }) => {
    for (const data of ['Tool execution started', 'Tool processing data', 'Tool execution completed'])
      await mcpReq.notify({ method: 'notifications/message', params: { level: 'info', data } });
    return textResult('Tool with logging executed successfully');
  },
  test_sampling: ({ context, args }) => request(context, sample(String(args.prompt ?? 'Say something'))),
  test_elicitation: ({ context }) => request(context, elicit('Who are you?', 'username', 'email')),
  test_elicitation_sep1034_defaults: ({ context }) => request(context, elicit('Defaults', 'name')),
  test_elicitation_sep1330_enums: ({ context }) => request(context, elicit('Enums', 'name')),
  json_schema_2020_12_tool: ({ args }) => textResult(JSON.stringify(args)),
  test_streaming_elicitation: () => textResult('Streaming complete'),
  test_logging_tool: () => textResult('Logging evaluated'),
  test_missing_capability: ({ context }) => {
    if (capabilitiesOf(context).sampling !== undefined) return textResult('Success');
    const data = { requiredCapabilities: { sampling: {} } };
    throw new ProtocolError(-32_021, 'Missing required client capability', data);
  },
  test_input_required_result_elicitation: ({ answers }) =>
    answers?.user_name === undefined
      ? ask({ user_name: elicit('What is your name?', 'name') })
      : textResult(`Hello, ${String(answers.user_name.content?.name)}!`),
  test_input_required_result_sampling: asking('sample_request', sample('Capital of France?'), 'Sampled.'),
  test_input_required_result_list_roots: asking('roots_request', ROOTS, 'Found roots.'),
  test_input_required_result_request_state: ({ answers, state }) =>
    state === 'request-state' && answers?.confirm !== undefined
      ? textResult('state-ok: requestState validated')
      : ask({ confirm: elicit('Please confirm', 'ok') }, 'request-state'),
  test_input_required_result_multiple_inputs: ({ answers, state }) =>
    state === 'multiple' && answers?.user_name && answers.greeting && answers.client_roots
      ? textResult('All three came.')
      : ask(
          { user_name: elicit('What is your name?', 'name'), greeting: sample('Greet'), client_roots: ROOTS },
          'multiple',
        ),
  test_input_required_result_multi_round: ({ answers, state }) => {
    if (state === 'round-2' && answers?.step2) return textResult('Multi-round complete.');
    if (state === 'round-1' && answers?.step1)
      return ask({ step2: elicit('Step 2: your favourite colour?', 'color') }, 'round-2');
    return ask({ step1: elicit('Step 1: what is your name?', 'name') }, 'round-1');
  },
  test_input_required_result_tampered_state: ({ answers, state }) => {
    if (state !== undefined && state !== 'sealed') throw new ProtocolError(-32_602, 'The state was altered.');
    return state === 'sealed' && answers?.confirm
      ? textResult('integrity-ok: state verified')
      : ask({ confirm: elicit('Please confirm', 'ok') }, 'sealed');
  },
  test_input_required_result_capabilities: ({ answers, context }) => {
    const { elicitation, sampling } = capabilitiesOf(context);
    if (answers && Object.keys(answers).length > 0) return textResult('capabilities-ok');
    const requests = {
      ...(elicitation !== undefined && { elicit_input: elicit('Elicitation input', 'value') }),
      ...(sampling !== undefined && { sample_input: sample('Sample request') }),
    };
    return Object.keys(requests).length === 0 ? textResult('nothing to ask') : ask(requests);
  },
};

/** Asks the client within a call, as older servers do. */
async function request(context: ServerContext, { method, params }: { method: string; params: object }) {
  const given = await context.mcpReq.send({ method, params } as never);
  return textResult(JSON.stringify(given));
}

const SCHEMA_2020_12 = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: {
    address: {
      $anchor: 'addressDef',
      type: 'object',
      properties: { street: { type: 'string' }, city: { type: 'string' } },
    },
  },
  properties: {
    name: { type: 'string' },
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' },
    email: { type: 'string' },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
};

const message = (content: unknown) => ({ role: 'user', content });

const PROMPTS: Readonly<
  Record<string, { readonly arguments: readonly string[]; get: (call: Call) => Result }>
> = {
  test_simple_prompt: {
    arguments: [],
    get: () => ({ messages: [message(text('This is a simple prompt for testing.'))] }),
  },
  test_prompt_with_arguments: {
    arguments: ['arg1', 'arg2'],
    get: ({ args }) => ({
      messages: [message(text(`Prompt with arguments: arg1='${args.arg1}', arg2='${args.arg2}'`))],
    }),
  },
  test_prompt_with_embedded_resource: {
    arguments: ['resourceUri'],
    get: ({ args }) => ({
      messages: [
        message(embedded(String(args.resourceUri), 'Embedded resource content for testing.')),
        message(text('Please process the embedded resource above.')),
      ],
    }),
  },
  test_prompt_with_image: {
    arguments: [],
    get: () => ({
      messages: [message({ type: 'image', ...IMAGE }), message(text('Please analyze the image above.'))],
    }),
  },
  test_input_required_result_prompt: {
    arguments: [],
    get: ({ answers }) =>
      answers?.user_context === undefined
        ? ask({ user_context: elicit('What context should the prompt use?', 'context') })
        : { messages: [message(text(`With context: ${String(answers.user_context.content?.context)}`))] },
  },
};

const RESOURCES: Readonly<Record<string, Result>> = {
  'test://static-text': { mimeType: 'text/plain', text: 'This is the content of the static text resource.' },
  'test://static-binary': { mimeType: 'image/png', blob: IMAGE.data },
  'test://watched-resource': { mimeType: 'text/plain', text: 'Watched resource content' },
};

function readResource(uri: string): Result {
  const [, id] = /^test:\/\/template\/([^/]+)\/data$/.exec(uri) ?? [];
  const said = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` });
  const content = id === undefined ? RESOURCES[uri] : { mimeType: 'application/json', text: said };
  if (content === undefined) throw new ProtocolError(-32_602, `Resource not found: ${uri}`, { uri });
  return { contents: [{ uri, ...content }] };
}

/** Names of all tools, which the front door lists next to its own. */
export const FIXTURE_TOOLS = Object.keys(TOOLS);

function createFixture(): Server {
  const server = new Server(
    { name: 'fixture', version: '1' },
    {
      capabilities: {
        tools: { listChanged: true },
        prompts: { listChanged: true },
        resources: { subscribe: true, listChanged: true },
        completions: {},
        logging: {},
      },
    },
  );
  const callOf = (
    { params }: { readonly params: { readonly name: string; readonly arguments?: object | undefined } },
    context: ServerContext,
  ): Call => {
    const state = context.mcpReq.requestState();
    return {
      name: params.name,
      args: { ...params.arguments },
      answers: context.mcpReq.inputResponses as Answers | undefined,
      state: typeof state === 'string' ? state : undefined,
      context,
    };
  };
  server.setRequestHandler('tools/list', () => ({
    tools: Object.keys(TOOLS).map((name) => ({
      name,
      description: `Tests ${name}.`,
      inputSchema: (name === 'json_schema_2020_12_tool'
        ? SCHEMA_2020_12
        : { type: 'object', properties: {} }) as never,
    })),
  }));
  server.setRequestHandler('tools/call', (called, context) => {
    const tool = TOOLS[called.params.name];
    if (tool === undefined) throw new ProtocolError(-32_602, `Unknown tool: ${called.params.name}`);
    return tool(callOf(called, context)) as never;
  });
  server.setRequestHandler('prompts/list', () => ({
    prompts: Object.entries(PROMPTS).map(([name, { arguments: names }]) => ({
      name,
      description: `Tests ${name}.`,
      arguments: names.map((one) => ({ name: one, description: `The argument ${one}`, required: true })),
    })),
  }));
  server.setRequestHandler('prompts/get', (called, context) => {
    const prompt = PROMPTS[called.params.name];
    if (prompt === undefined) throw new ProtocolError(-32_602, `Unknown prompt: ${called.params.name}`);
    return prompt.get(callOf(called, context)) as never;
  });
  server.setRequestHandler('resources/list', () => ({
    resources: Object.entries(RESOURCES).map(([uri, { mimeType }]) => ({
      uri,
      name: uri.slice('test://'.length),
      description: `Tests ${uri}.`,
      mimeType: String(mimeType),
    })),
  }));
  server.setRequestHandler('resources/templates/list', () => ({
    resourceTemplates: [
      { uriTemplate: 'test://template/{id}/data', name: 'template', mimeType: 'application/json' },
    ],
  }));
  server.setRequestHandler('resources/read', ({ params }) => readResource(params.uri) as never);
  server.setRequestHandler('resources/subscribe', () => ({}));
  server.setRequestHandler('resources/unsubscribe', () => ({}));
  server.setRequestHandler('completion/complete', () => ({
    completion: { values: ['paris', 'park', 'party'], total: 3, hasMore: false },
  }));
  return server;
}

/** Starts the fixture over HTTP, in both eras; `close` ends it. */
export async function startFixture(): Promise<{ readonly url: string; close(): Promise<void> }> {
  const handler = createMcpHandler(createFixture);
  const server = createServer((incoming, outgoing) => void pass(incoming, outgoing, handler.fetch));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    async close() {
      await handler.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function pass(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  answer: (request: Request) => Promise<Response>,
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const { method = 'GET', headers, url = '/' } = incoming;
  const leaving = new AbortController();
  outgoing.once('close', () => leaving.abort());
  const response = await answer(
    new Request(`http://${headers.host}${url}`, {
      method,
      headers: headers as Record<string, string>,
      signal: leaving.signal,
      ...(method === 'POST' && { body: Buffer.concat(chunks) }),
    }),
  );
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  outgoing.flushHeaders();
  try {
    if (response.body !== null) for await (const chunk of response.body) outgoing.write(chunk);
  } catch {
    // The client has left.
  }
  outgoing.end();
}
