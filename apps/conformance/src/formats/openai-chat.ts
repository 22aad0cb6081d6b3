import { parseJson } from '@winnow/core';
import { isJsonObject, type JsonObject, objectsOf } from '@winnow/testkit';
import type { Ask, ClientFormat, ClientTool } from './client-format.ts';

/** OpenAI Chat Completions. https://platform.openai.com/docs/api-reference/chat */
export const CHAT_CLIENT: ClientFormat = {
  name: 'openai-chat',
  title: 'OpenAI Chat Completions',
  sdk: 'openai',
  model: 'gpt-5.4',
  framing: 'sse',
  headers: (key) => [['authorization', `Bearer ${key}`]],
  path: () => '/v1/chat/completions',
  open: ({ user, system, isStream, tools, choice, thinks }: Ask, model) => ({
    model,
    messages: [
      ...(system === undefined ? [] : [{ role: 'system', content: system }]),
      { role: 'user', content: user },
    ],
    ...(tools && { tools: tools.map(toTool) }),
    ...(choice && {
      tool_choice: typeof choice === 'string' ? choice : { type: 'function', function: choice },
    }),
    ...(thinks && { reasoning_effort: 'low' }),
    ...(isStream && { stream: true, stream_options: { include_usage: true } }),
  }),
  proceed: (body, response, reply) => ({
    ...body,
    messages: [
      ...objectsOf(body.messages),
      messageOf(response),
      ...('user' in reply
        ? [{ role: 'user', content: reply.user }]
        : reply.results.map(({ call, text }) => ({ role: 'tool', tool_call_id: call.id, content: text }))),
    ],
  }),
  callsIn: (response) =>
    objectsOf(messageOf(response).tool_calls).flatMap(({ id, function: called }) =>
      isJsonObject(called)
        ? [{ id: String(id), name: String(called.name), input: parseJson(String(called.arguments)) }]
        : [],
    ),
};

function toTool({ name, description, parameters, strict }: ClientTool): JsonObject {
  const marked = strict === undefined ? {} : { strict };
  return { type: 'function', function: { name, description, parameters, ...marked } };
}

function messageOf(response: JsonObject): JsonObject {
  const message = objectsOf(response.choices)[0]?.message;
  return isJsonObject(message) ? message : {};
}
