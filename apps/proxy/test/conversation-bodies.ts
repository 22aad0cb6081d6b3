import { BodyBytes, FORMATS, matchRoute, type RequestView } from '@winnow/wire';

/** A conversation to write in any format. */
export interface Conversation {
  /** Texts of the user and the model in turn; the user's first. */
  readonly texts: readonly string[];
  readonly tools: readonly string[];
  readonly model?: string;
  /** Further members of the body. */
  readonly more?: object;
}

/** A format as this file writes it; the history is the last member of every body. */
interface BodyWriter {
  readonly path: string;
  readonly model: string;
  write(parts: Required<Conversation>): object;
}

const PARAMETERS = { type: 'object', properties: { value: { type: 'string' } } };
const SYSTEM = 'You are an agent.';
const isUser = (at: number) => at % 2 === 0;
const describe = (name: string) => `Does ${name.replaceAll('_', ' ')}.`;

const messages = ({ texts }: Required<Conversation>) =>
  texts.map((content, at) => ({ role: isUser(at) ? 'user' : 'assistant', content }));

const messagesTools = ({ tools }: Required<Conversation>) =>
  tools.map((name) => ({ name, description: describe(name), input_schema: PARAMETERS }));

const chatTools = ({ tools }: Required<Conversation>) =>
  tools.map((name) => ({
    type: 'function',
    function: { name, description: describe(name), parameters: PARAMETERS },
  }));

/** The writer of each format, by name. */
export const BODIES: Readonly<Record<string, BodyWriter>> = {
  'anthropic-messages': {
    path: '/v1/messages',
    model: 'claude-opus-5',
    write: (parts) => ({ system: SYSTEM, tools: messagesTools(parts), messages: messages(parts) }),
  },
  'anthropic-bedrock': {
    path: '/model/anthropic.claude-opus-4-6-v1/invoke',
    model: '',
    write: (parts) => ({
      anthropic_version: 'bedrock-2023-05-31',
      anthropic_beta: [],
      system: SYSTEM,
      tools: messagesTools(parts),
      messages: messages(parts),
    }),
  },
  'openai-responses': {
    path: '/v1/responses',
    model: 'gpt-5.4',
    write: ({ texts, tools }) => ({
      instructions: SYSTEM,
      tools: tools.map((name) => ({
        type: 'function',
        name,
        description: describe(name),
        parameters: PARAMETERS,
      })),
      input: texts.map((text, at) =>
        isUser(at)
          ? { role: 'user', content: text }
          : { type: 'message', id: `msg_${at}`, role: 'assistant', content: [{ type: 'output_text', text }] },
      ),
    }),
  },
  'openai-chat': {
    path: '/v1/chat/completions',
    model: 'a-model',
    write: (parts) => ({
      tools: chatTools(parts),
      messages: [{ role: 'system', content: SYSTEM }, ...messages(parts)],
    }),
  },
  'ollama-chat': {
    path: '/api/chat',
    model: 'a-model',
    write: (parts) => ({
      tools: chatTools(parts),
      messages: [{ role: 'system', content: SYSTEM }, ...messages(parts)],
    }),
  },
  gemini: {
    path: '/v1beta/models/gemini-3-pro:generateContent',
    model: '',
    write: ({ texts, tools }) => ({
      tools: [
        {
          functionDeclarations: tools.map((name) => ({
            name,
            description: describe(name),
            parametersJsonSchema: PARAMETERS,
          })),
        },
      ],
      systemInstruction: { parts: [{ text: SYSTEM }] },
      contents: texts.map((text, at) => ({ role: isUser(at) ? 'user' : 'model', parts: [{ text }] })),
    }),
  },
  'gemini-interactions': {
    path: '/v1beta/interactions',
    model: 'gemini-3-pro',
    write: ({ texts, tools }) => ({
      tools: tools.map((name) => ({
        type: 'function',
        name,
        description: describe(name),
        parameters: PARAMETERS,
      })),
      system_instruction: SYSTEM,
      input: texts.map((text, at) => ({
        type: isUser(at) ? 'user_input' : 'model_output',
        content: [{ type: 'text', text }],
      })),
    }),
  },
  'bedrock-converse': {
    path: '/model/a-model/converse',
    model: '',
    write: ({ texts, tools }) => ({
      toolConfig: {
        tools: tools.map((name) => ({
          toolSpec: { name, description: describe(name), inputSchema: { json: PARAMETERS } },
        })),
      },
      system: [{ text: SYSTEM }],
      messages: texts.map((text, at) => ({
        role: isUser(at) ? 'user' : 'assistant',
        content: [{ text }],
      })),
    }),
  },
};

/** Reads a conversation as a request in a format, as the proxy does. */
export function readConversation(name: string, conversation: Conversation): RequestView {
  const { path, model, write } = BODIES[name]!;
  const format = FORMATS.find((one) => one.name === name)!;
  if (matchRoute(format.reading, 'POST', path) !== 'answer') throw new Error(`${path} is not of ${name}`);
  const parts = { model, more: {}, ...conversation };
  const body = { ...(parts.model && { model: parts.model }), ...parts.more, ...write(parts) };
  const reading = format.reading.readRequest(new BodyBytes([Buffer.from(JSON.stringify(body))]), {
    purpose: 'answer',
    searchToolName: 'gateway_search_tools',
    path,
    query: '',
  });
  if (!reading.ok) throw new Error(reading.reason);
  return reading.view;
}
