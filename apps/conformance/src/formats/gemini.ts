import { isJsonObject, type JsonObject, objectsOf } from '@winnow/testkit';
import type { Ask, ClientFormat } from './client-format.ts';

/** Gemini's `generateContent`. https://ai.google.dev/api/generate-content */
export const GEMINI_CLIENT: ClientFormat = {
  name: 'gemini',
  title: 'Gemini generateContent',
  sdk: '@google/genai',
  model: 'gemini-3-pro',
  framing: 'sse',
  headers: (key) => [['x-goog-api-key', key]],
  path: (model, isStream) =>
    `/v1beta/models/${model}:${isStream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
  open: ({ user, system, tools, choice, thinks }: Ask) => ({
    contents: [{ role: 'user', parts: [{ text: user }] }],
    ...(system !== undefined && { systemInstruction: { parts: [{ text: system }] } }),
    ...(tools && {
      tools: [
        {
          functionDeclarations: tools.map(({ name, description, parameters }) => ({
            name,
            description,
            parametersJsonSchema: parameters,
          })),
        },
      ],
    }),
    ...(choice && { toolConfig: { functionCallingConfig: choiceOf(choice) } }),
    ...(thinks && { generationConfig: { thinkingConfig: { includeThoughts: true } } }),
  }),
  proceed: (body, response, reply) => ({
    ...body,
    contents: [
      ...objectsOf(body.contents),
      contentOf(response),
      {
        role: 'user',
        parts:
          'user' in reply
            ? [{ text: reply.user }]
            : reply.results.map(({ call, text }) => ({
                functionResponse: { name: call.name, response: { output: text } },
              })),
      },
    ],
  }),
  callsIn: (response) =>
    objectsOf(contentOf(response).parts).flatMap(({ functionCall }, at) =>
      isJsonObject(functionCall)
        ? [{ id: String(functionCall.id ?? at), name: String(functionCall.name), input: functionCall.args }]
        : [],
    ),
};

function choiceOf(choice: NonNullable<Ask['choice']>): JsonObject {
  if (typeof choice === 'object') return { mode: 'ANY', allowedFunctionNames: [choice.name] };
  return { mode: choice === 'required' ? 'ANY' : 'NONE' };
}

function contentOf(response: JsonObject): JsonObject {
  const content = objectsOf(response.candidates)[0]?.content;
  return isJsonObject(content) ? content : {};
}
