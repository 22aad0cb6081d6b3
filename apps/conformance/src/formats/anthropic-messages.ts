import { type JsonObject, objectsOf } from '@winnow/testkit';
import type { Ask, ClientFormat } from './client-format.ts';

/** Anthropic Messages. https://platform.claude.com/docs/en/api/messages */
export const MESSAGES_CLIENT: ClientFormat = {
  name: 'anthropic-messages',
  title: 'Anthropic Messages',
  sdk: '@anthropic-ai/sdk',
  model: 'claude-opus-4-6',
  framing: 'sse',
  headers: (key) => [
    ['x-api-key', key],
    ['anthropic-version', '2023-06-01'],
  ],
  path: () => '/v1/messages',
  open: (ask, model) => ({ model, ...openMessages(ask), ...(ask.isStream && { stream: true }) }),
  proceed: (body, response, reply) => ({
    ...body,
    messages: [
      ...objectsOf(body.messages),
      { role: 'assistant', content: response.content },
      {
        role: 'user',
        content:
          'user' in reply
            ? reply.user
            : reply.results.map(({ call, text }) => ({
                type: 'tool_result',
                tool_use_id: call.id,
                content: text,
              })),
      },
    ],
  }),
  callsIn: (response) =>
    objectsOf(response.content)
      .filter(({ type }) => type === 'tool_use')
      .map(({ id, name, input }) => ({ id: String(id), name: String(name), input })),
};

/** Claude on Bedrock through InvokeModel: the same message with its version in the body. */
export const INVOKE_CLIENT: ClientFormat = {
  ...MESSAGES_CLIENT,
  name: 'bedrock-invoke',
  title: 'Bedrock InvokeModel',
  sdk: '@aws-sdk/client-bedrock-runtime',
  model: 'anthropic.claude-opus-4-6-v1:0',
  framing: 'frames',
  headers: (key) => [['authorization', `Bearer ${key}`]],
  path: (model, isStream) =>
    `/model/${encodeURIComponent(model)}/invoke${isStream ? '-with-response-stream' : ''}`,
  open: (ask) => ({ anthropic_version: 'bedrock-2023-05-31', ...openMessages(ask) }),
};

function openMessages({ user, system, tools, choice, thinks, isMarked }: Ask): JsonObject {
  const mark = isMarked && { cache_control: { type: 'ephemeral' } };
  return {
    max_tokens: 4_096,
    ...(system !== undefined && { system: [{ type: 'text', text: system, ...mark }] }),
    messages: [{ role: 'user', content: [{ type: 'text', text: user, ...mark }] }],
    ...(tools && {
      tools: tools.map(({ name, description, parameters }) => ({
        name,
        description,
        input_schema: parameters,
      })),
    }),
    ...(choice && { tool_choice: choiceOf(choice) }),
    ...(thinks && { thinking: { type: 'enabled', budget_tokens: 1_024 } }),
  };
}

function choiceOf(choice: NonNullable<Ask['choice']>): JsonObject {
  if (typeof choice === 'object') return { type: 'tool', ...choice };
  return { type: choice === 'required' ? 'any' : choice };
}
