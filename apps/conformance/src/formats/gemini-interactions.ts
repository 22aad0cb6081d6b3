import { objectsOf } from '@winnow/testkit';
import type { ClientFormat } from './client-format.ts';

/** Gemini's Interactions. https://ai.google.dev/api/interactions-api */
export const INTERACTIONS_CLIENT: ClientFormat = {
  name: 'gemini-interactions',
  title: 'Gemini Interactions',
  sdk: '@google/genai',
  model: 'gemini-3-pro',
  framing: 'sse',
  headers: (key) => [['x-goog-api-key', key]],
  path: () => '/v1beta/interactions',
  open: ({ user, system, isStream, tools, choice, thinks }, model) => ({
    model,
    input: [{ type: 'user_input', content: [{ type: 'text', text: user }] }],
    store: false,
    ...(system !== undefined && { system_instruction: system }),
    ...(tools && {
      tools: tools.map(({ name, description, parameters }) => ({
        type: 'function',
        name,
        description,
        parameters,
      })),
    }),
    ...((choice || thinks) && {
      generation_config: {
        ...(choice && { tool_choice: typeof choice === 'object' ? choiceOf(choice.name) : WORDS[choice] }),
        ...(thinks && { thinking_summaries: 'auto' }),
      },
    }),
    ...(isStream && { stream: true }),
  }),
  proceed: (body, response, reply) => ({
    ...body,
    input: [
      ...objectsOf(body.input),
      ...objectsOf(response.steps),
      ...('user' in reply
        ? [{ type: 'user_input', content: [{ type: 'text', text: reply.user }] }]
        : reply.results.map(({ call, text }) => ({
            type: 'function_result',
            call_id: call.id,
            name: call.name,
            result: text,
          }))),
    ],
  }),
  callsIn: (response) =>
    objectsOf(response.steps)
      .filter(({ type }) => type === 'function_call')
      .map((step) => ({ id: String(step.id), name: String(step.name), input: step.arguments })),
};

const WORDS = { required: 'any', none: 'none' } as const;

const choiceOf = (name: string) => ({ allowed_tools: { mode: 'any', tools: [name] } });
