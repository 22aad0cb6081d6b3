import { isJsonObject, objectsOf } from '@winnow/testkit';
import type { ClientFormat } from './client-format.ts';

/** Ollama's own API. It has no choice of tools. https://docs.ollama.com/api/chat */
export const OLLAMA_CLIENT: ClientFormat = {
  name: 'ollama-chat',
  title: 'Ollama',
  sdk: 'ollama',
  model: 'qwen3',
  framing: 'lines',
  headers: (key) => [['authorization', `Bearer ${key}`]],
  path: () => '/api/chat',
  open: ({ user, system, isStream = false, tools, thinks = false }, model) => ({
    model,
    messages: [
      ...(system === undefined ? [] : [{ role: 'system', content: system }]),
      { role: 'user', content: user },
    ],
    ...(tools && {
      tools: tools.map(({ name, description, parameters }) => ({
        type: 'function',
        function: { name, description, parameters },
      })),
    }),
    think: thinks,
    stream: isStream,
  }),
  proceed: (body, response, reply) => ({
    ...body,
    messages: [
      ...objectsOf(body.messages),
      response.message,
      ...('user' in reply
        ? [{ role: 'user', content: reply.user }]
        : reply.results.map(({ call, text }) => ({ role: 'tool', tool_name: call.name, content: text }))),
    ],
  }),
  callsIn: ({ message }) =>
    objectsOf(isJsonObject(message) ? message.tool_calls : []).flatMap(({ id, function: called }, at) =>
      isJsonObject(called)
        ? [{ id: String(id ?? at), name: String(called.name), input: called.arguments }]
        : [],
    ),
};
