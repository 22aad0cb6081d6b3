/** A tool as a client declares it. */
interface ClientTool {
  readonly name: string;
  readonly description: string;
  readonly parameters?: object | undefined;
}

type Json = Record<string, unknown>;

/** A call in a response. */
export interface ClientCall {
  readonly id: string;
  readonly name: string;
}

/** The result of a call. */
export interface CallResult extends ClientCall {
  readonly text: string;
}

/** A client of one wire format that keeps its whole history, as agents do. */
export interface MoneyClient {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Returns the request for this history. */
  write(head: ClientHead, history: readonly unknown[]): Json;
  user(text: string): unknown;
  /** Returns the items of a response as the history keeps them, and its calls. */
  read(response: Json): { readonly items: readonly unknown[]; readonly calls: readonly ClientCall[] };
  /** Returns the items that answer calls. */
  results(results: readonly CallResult[]): readonly unknown[];
}

/** The part of a request that all conversations of an agent share. */
export interface ClientHead {
  readonly model: string;
  readonly system: string;
  readonly tools: readonly ClientTool[];
}

/** The names of {@link CLIENTS}. */
export type ClientName = 'messages' | 'chat' | 'responses' | 'gemini';

const PARAMETERS = { type: 'object', properties: {} };
const MARK = { cache_control: { type: 'ephemeral' } };

/** Marks the system prompt and the end of the history, as Anthropic's agents do. */
const messages: MoneyClient = {
  path: '/v1/messages',
  headers: { 'x-api-key': 'sk-bench', 'anthropic-version': '2023-06-01' },
  write: ({ model, system, tools }, history) => ({
    model,
    max_tokens: 4_096,
    system: [{ type: 'text', text: system, ...MARK }],
    tools: tools.map(({ name, description, parameters }) => ({
      name,
      description,
      input_schema: parameters ?? PARAMETERS,
    })),
    messages: [...history.slice(0, -1), markLast(history.at(-1) as MessagesTurn)],
  }),
  user: (text) => ({ role: 'user', content: [{ type: 'text', text }] }),
  read(response) {
    const content = response.content as (Json & { type: string })[];
    const calls = content.filter(({ type }) => type === 'tool_use') as unknown as ClientCall[];
    return { items: [{ role: 'assistant', content }], calls };
  },
  results: (results) => [
    {
      role: 'user',
      content: results.map(({ id, text }) => ({ type: 'tool_result', tool_use_id: id, content: text })),
    },
  ],
};

interface MessagesTurn {
  readonly role: string;
  readonly content: readonly Json[];
}

function markLast({ role, content }: MessagesTurn): MessagesTurn {
  return { role, content: [...content.slice(0, -1), { ...content.at(-1)!, ...MARK }] };
}

const chat: MoneyClient = {
  path: '/v1/chat/completions',
  headers: { authorization: 'Bearer sk-bench' },
  write: ({ model, system, tools }, history) => ({
    model,
    messages: [{ role: 'system', content: system }, ...history],
    tools: tools.map(({ name, description, parameters }) => ({
      type: 'function',
      function: { name, description, parameters: parameters ?? PARAMETERS },
    })),
  }),
  user: (text) => ({ role: 'user', content: text }),
  read(response) {
    const [choice] = response.choices as { message: Json }[];
    const made = (choice!.message.tool_calls ?? []) as { id: string; function: { name: string } }[];
    const calls = made.map(({ id, function: called }) => ({ id, name: called.name }));
    return { items: [choice!.message], calls };
  },
  results: (results) => results.map(({ id, text }) => ({ role: 'tool', tool_call_id: id, content: text })),
};

const responses: MoneyClient = {
  path: '/v1/responses',
  headers: { authorization: 'Bearer sk-bench' },
  write: ({ model, system, tools }, history) => ({
    model,
    store: false,
    instructions: system,
    input: history,
    tools: tools.map(({ name, description, parameters }) => ({
      type: 'function',
      name,
      description,
      parameters: parameters ?? PARAMETERS,
      strict: false,
    })),
  }),
  user: (text) => ({ type: 'message', role: 'user', content: [{ type: 'input_text', text }] }),
  read(response) {
    const items = response.output as (Json & { type: string; call_id: string; name: string })[];
    const made = items.filter(({ type }) => type === 'function_call');
    return { items, calls: made.map(({ call_id: id, name }) => ({ id, name })) };
  },
  results: (results) =>
    results.map(({ id, text }) => ({ type: 'function_call_output', call_id: id, output: text })),
};

const gemini: MoneyClient = {
  path: '/v1beta/models/gemini-3.5-flash:generateContent',
  headers: { 'x-goog-api-key': 'bench' },
  write: ({ system, tools }, history) => ({
    systemInstruction: { parts: [{ text: system }] },
    contents: history,
    tools: [
      {
        functionDeclarations: tools.map(({ name, description, parameters }) => ({
          name,
          description,
          parametersJsonSchema: parameters ?? PARAMETERS,
        })),
      },
    ],
  }),
  user: (text) => ({ role: 'user', parts: [{ text }] }),
  read(response) {
    const [{ content }] = response.candidates as [{ content: { parts: readonly Json[] } }];
    const made = content.parts.flatMap((part) => (part.functionCall as { id?: string; name: string }) ?? []);
    return { items: [content], calls: made.map(({ id, name }) => ({ id: id ?? name, name })) };
  },
  results: (results) => [
    {
      role: 'user',
      parts: results.map(({ id, name, text }) => ({
        functionResponse: { ...(id !== name && { id }), name, response: { output: text } },
      })),
    },
  ],
};

/** The clients of agents. */
export const CLIENTS: Readonly<Record<ClientName, MoneyClient>> = { messages, chat, responses, gemini };
