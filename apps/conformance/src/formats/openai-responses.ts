import { parseJson } from '@winnow/core';
import { objectsOf } from '@winnow/testkit';
import type { ClientFormat } from './client-format.ts';

/** OpenAI Responses. https://platform.openai.com/docs/api-reference/responses */
export const RESPONSES_CLIENT: ClientFormat = {
  name: 'openai-responses',
  title: 'OpenAI Responses',
  sdk: 'openai',
  model: 'gpt-5.4',
  framing: 'sse',
  headers: (key) => [['authorization', `Bearer ${key}`]],
  path: () => '/v1/responses',
  open: ({ user, system, isStream, tools, choice, thinks }, model) => ({
    model,
    input: [{ role: 'user', content: user }],
    store: false,
    ...(system !== undefined && { instructions: system }),
    ...(tools && { tools: tools.map((tool) => ({ type: 'function', strict: false, ...tool })) }),
    ...(choice && { tool_choice: typeof choice === 'string' ? choice : { type: 'function', ...choice } }),
    ...(thinks && { reasoning: { effort: 'low' }, include: ['reasoning.encrypted_content'] }),
    ...(isStream && { stream: true }),
  }),
  proceed: (body, response, reply) => ({
    ...body,
    input: [
      ...objectsOf(body.input),
      ...objectsOf(response.output),
      ...('user' in reply
        ? [{ role: 'user', content: reply.user }]
        : reply.results.map(({ call, text }) => ({
            type: 'function_call_output',
            call_id: call.id,
            output: text,
          }))),
    ],
  }),
  callsIn: (response) =>
    objectsOf(response.output)
      .filter(({ type }) => type === 'function_call')
      .map((item) => ({
        id: String(item.call_id),
        name: String(item.name),
        input: parseJson(String(item.arguments)),
      })),
};
