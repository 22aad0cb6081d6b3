import { isJsonObject, type JsonObject, objectsOf } from '@winnow/testkit';
import type { Ask, ClientFormat } from './client-format.ts';

/** Bedrock Converse. https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html */
export const CONVERSE_CLIENT: ClientFormat = {
  name: 'bedrock-converse',
  title: 'Bedrock Converse',
  sdk: '@aws-sdk/client-bedrock-runtime',
  model: 'anthropic.claude-opus-4-6-v1:0',
  framing: 'frames',
  headers: (key) => [['authorization', `Bearer ${key}`]],
  path: (model, isStream) => `/model/${encodeURIComponent(model)}/converse${isStream ? '-stream' : ''}`,
  open: ({ user, system, tools, choice, thinks, isMarked }: Ask) => {
    const mark = isMarked ? [{ cachePoint: { type: 'default' } }] : [];
    return {
      messages: [{ role: 'user', content: [{ text: user }, ...mark] }],
      ...(system !== undefined && { system: [{ text: system }, ...mark] }),
      inferenceConfig: { maxTokens: 4_096 },
      ...(tools && { toolConfig: { tools: tools.map(toTool), ...(choice && choiceOf(choice)) } }),
      ...(thinks && {
        additionalModelRequestFields: { thinking: { type: 'enabled', budget_tokens: 1_024 } },
      }),
    };
  },
  proceed: (body, response, reply) => ({
    ...body,
    messages: [
      ...objectsOf(body.messages),
      messageOf(response),
      {
        role: 'user',
        content:
          'user' in reply
            ? [{ text: reply.user }]
            : reply.results.map(({ call, text }) => ({
                toolResult: { toolUseId: call.id, content: [{ text }] },
              })),
      },
    ],
  }),
  callsIn: (response) =>
    objectsOf(messageOf(response).content).flatMap(({ toolUse }) =>
      isJsonObject(toolUse)
        ? [{ id: String(toolUse.toolUseId), name: String(toolUse.name), input: toolUse.input }]
        : [],
    ),
};

function toTool({ name, description, parameters }: NonNullable<Ask['tools']>[number]): JsonObject {
  return { toolSpec: { name, description, inputSchema: { json: parameters } } };
}

/** Converse cannot forbid calls: without a choice the model decides. */
function choiceOf(choice: NonNullable<Ask['choice']>): JsonObject {
  if (choice === 'none') return {};
  return { toolChoice: choice === 'required' ? { any: {} } : { tool: choice } };
}

function messageOf({ output }: JsonObject): JsonObject {
  const message = isJsonObject(output) ? output.message : undefined;
  return isJsonObject(message) ? message : {};
}
