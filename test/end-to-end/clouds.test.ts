import { AnthropicFoundry } from '@anthropic-ai/foundry-sdk';
import Anthropic from '@anthropic-ai/sdk';
import { AnthropicVertex } from '@anthropic-ai/vertex-sdk';
import {
  BedrockRuntimeClient,
  CountTokensCommand,
  type CountTokensInput,
} from '@aws-sdk/client-bedrock-runtime';
import { GoogleGenAI } from '@google/genai';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { playModel, type Upstream } from '@winnow/testkit';
import OpenAI, { AzureOpenAI, BedrockOpenAI } from 'openai';
import { expect, test } from 'vitest';
import { FEW_TOOLS } from './raw-client.ts';
import { recordsOf, type Stack, startStack } from './start-stack.ts';

const WANTED = FEW_TOOLS[9]!.name;
const MODEL = playModel({
  turns: [{ steps: [{ searchFor: [WANTED], thenCall: [{ name: WANTED, input: {} }] }] }],
});

/**
 * A stack whose upstream has another name, as clouds have, with the operator's key in their kind of header.
 */
async function startCloud(settings: Record<string, string>): Promise<Cloud> {
  const named = Object.entries(settings).map(([field, value]) => [`PROXY_UPSTREAMS_CLOUD_${field}`, value]);
  // The proxy starts after its upstream, whose address cannot be set here: built-in upstreams have it.
  const first = await startStack({ model: MODEL });
  const stack = await startStack({
    model: MODEL,
    settings: { PROXY_UPSTREAMS_CLOUD_BASE_URL: first.upstream.url, ...Object.fromEntries(named) },
  });
  return { stack, proxyUrl: stack.proxyUrl, upstream: first.upstream };
}

interface Cloud {
  readonly stack: Stack;
  readonly proxyUrl: string;
  readonly upstream: Upstream;
}

const CHAT_TOOLS = FEW_TOOLS.map((tool) => ({ type: 'function' as const, function: { ...tool } }));
const QUESTION = {
  model: 'my-gpt',
  messages: [{ role: 'user' as const, content: 'Do it.' }],
  tools: CHAT_TOOLS,
};
const AZURE = { FORMAT: 'openai', API_KEY: 'operators', AUTH: 'header:api-key' };

/** Checks the requests that reached the cloud: they carry only the operator's key. */
async function expectCloud(
  { upstream, stack }: Cloud,
  { path, key }: { path: string; key: [string, string] },
): Promise<void> {
  expect(upstream.rejected()).toEqual([]);
  expect(upstream.requests.map((request) => request.path)).toEqual([path, path]);
  for (const { headers } of upstream.requests) {
    expect(headers[key[0]]).toBe(key[1]);
    expect(JSON.stringify(headers)).not.toContain('clients-own');
  }
  await recordsOf(stack, 1);
  expect(stack.records).toMatchObject([
    { upstream: 'cloud', planReason: 'deferred', searches: [{ outcome: 'found' }] },
  ]);
}

test.each([false, true])('the AzureOpenAI client has its deployments (streamed: %s)', async (isStream) => {
  const cloud = await startCloud(AZURE);
  const client = new AzureOpenAI({
    endpoint: `${cloud.proxyUrl}/cloud`,
    apiKey: 'clients-own',
    apiVersion: '2026-01-01',
  });
  const { choices } = isStream
    ? await client.chat.completions.stream(QUESTION).finalChatCompletion()
    : await client.chat.completions.create(QUESTION);
  expect(choices[0]!.message.tool_calls).toMatchObject([{ function: { name: WANTED } }]);
  const path = '/openai/deployments/my-gpt/chat/completions?api-version=2026-01-01';
  await expectCloud(cloud, { path, key: ['api-key', 'operators'] });
});

test('the OpenAI client has the v1 routes of Azure, and those of Bedrock by a bearer key', async () => {
  const azure = await startCloud(AZURE);
  const azureClient = new OpenAI({ baseURL: `${azure.proxyUrl}/cloud/openai/v1/`, apiKey: 'clients-own' });
  await azureClient.chat.completions.create(QUESTION);
  await expectCloud(azure, { path: '/openai/v1/chat/completions', key: ['api-key', 'operators'] });

  const bedrock = await startCloud({ FORMAT: 'openai', API_KEY: 'operators', AUTH: 'bearer' });
  const bedrockClient = new OpenAI({ baseURL: `${bedrock.proxyUrl}/cloud/v1`, apiKey: 'clients-own' });
  await bedrockClient.chat.completions.create(QUESTION);
  await expectCloud(bedrock, { path: '/v1/chat/completions', key: ['authorization', 'Bearer operators'] });
});

test('the Anthropic client has Claude on a cloud that takes bearer keys', async () => {
  const cloud = await startCloud({ FORMAT: 'anthropic', API_KEY: 'operators', AUTH: 'bearer' });
  const client = new Anthropic({ baseURL: `${cloud.proxyUrl}/cloud`, apiKey: 'clients-own' });
  const { content } = await client.messages.create({
    model: 'anthropic.claude-opus-4-5-v1:0',
    max_tokens: 100,
    messages: [{ role: 'user', content: 'Do it.' }],
    tools: FEW_TOOLS.map(({ name, description, parameters }) => ({
      name,
      description,
      input_schema: parameters as { type: 'object' },
    })),
  });
  expect(content).toMatchObject([{ type: 'tool_use', name: WANTED }]);
  await expectCloud(cloud, { path: '/v1/messages', key: ['authorization', 'Bearer operators'] });
  // No documentation mentions deferral there; the model's price tells that its cache is cheap.
  expect(cloud.stack.records[0]!.loadMode).toBe('bridge');
});

/** Credentials that Google's libraries accept as those of a signed-in user. */
const GOOGLE_LOGIN = {
  getRequestHeaders: async () => new Headers({ authorization: 'Bearer google-token' }),
} as never;

test.each([false, true])("Google's client has Gemini on Vertex (streamed: %s)", async (isStream) => {
  const cloud = await startCloud({ FORMAT: 'gemini' });
  const { models } = new GoogleGenAI({
    ...{ vertexai: true, project: 'p', location: 'us-central1' },
    googleAuthOptions: { authClient: GOOGLE_LOGIN },
    httpOptions: { baseUrl: `${cloud.proxyUrl}/cloud` },
  });
  const functionDeclarations = FEW_TOOLS.map(({ name, description, parameters }) => ({
    name,
    description,
    parametersJsonSchema: parameters,
  }));
  const request = {
    model: 'gemini-2.5-pro',
    contents: 'Do it.',
    config: { tools: [{ functionDeclarations }] },
  };
  const calls = [];
  if (isStream) {
    for await (const { functionCalls = [] } of await models.generateContentStream(request)) {
      calls.push(...functionCalls);
    }
  } else calls.push(...((await models.generateContent(request)).functionCalls ?? []));
  expect(calls).toMatchObject([{ name: WANTED }]);
  const model = '/v1beta1/projects/p/locations/us-central1/publishers/google/models/gemini-2.5-pro';
  const path = `${model}:${isStream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`;
  await expectCloud(cloud, { path, key: ['authorization', 'Bearer google-token'] });
});

test.each([false, true])(
  "Anthropic's clients have Claude on Vertex and on Foundry (streamed: %s)",
  async (isStream) => {
    const vertex = await startCloud({ FORMAT: 'anthropic' });
    const onVertex = new AnthropicVertex({
      ...{ projectId: 'p', region: 'us-east5', authClient: GOOGLE_LOGIN },
      baseURL: `${vertex.proxyUrl}/cloud/v1`,
    });
    const model = 'claude-sonnet-4-5@20250929';
    expect(await callsOf(onVertex.messages, { model, isStream })).toMatchObject([{ name: WANTED }]);
    const models = '/v1/projects/p/locations/us-east5/publishers/anthropic/models';
    const path = `${models}/${model}:${isStream ? 'streamRawPredict' : 'rawPredict'}`;
    await expectCloud(vertex, { path, key: ['authorization', 'Bearer google-token'] });
    expect(vertex.stack.records[0]).toMatchObject({ loadMode: 'bridge', model });

    const foundry = await startCloud({ FORMAT: 'anthropic' });
    const onFoundry = new AnthropicFoundry({ apiKey: 'azure-key', baseURL: `${foundry.proxyUrl}/cloud/` });
    expect(await callsOf(onFoundry.messages, { model: 'my-claude', isStream })).toMatchObject([
      { name: WANTED },
    ]);
    await expectCloud(foundry, { path: '/v1/messages', key: ['x-api-key', 'azure-key'] });
    expect(foundry.stack.records[0]!.loadMode).toBe('bridge');
  },
);

test('tokens of Claude on Vertex are counted as the model will be asked', async () => {
  const vertex = await startCloud({ FORMAT: 'anthropic' });
  const clientOf = (baseURL: string) =>
    new AnthropicVertex({
      projectId: 'p',
      region: 'us-east5',
      authClient: GOOGLE_LOGIN,
      baseURL,
      maxRetries: 0,
    });
  const model = 'claude-sonnet-4-5@20250929';
  const counted = { model, messages: [QUESTION.messages[0]!], tools: CLAUDE_TOOLS };
  const { input_tokens: through } = await clientOf(`${vertex.proxyUrl}/cloud/v1`).messages.countTokens(
    counted,
  );
  const [request] = vertex.upstream.requests;
  expect(request!.path).toBe(
    '/v1/projects/p/locations/us-east5/publishers/anthropic/models/count-tokens:rawPredict',
  );
  expect(request!.json).toMatchObject({
    model,
    tools: [{ name: 'gateway_search_tools' }, { name: 'gateway_call_tool' }],
  });
  await recordsOf(vertex.stack, 1);
  expect(vertex.stack.records).toMatchObject([
    { upstream: 'cloud', model, planReason: 'deferred', loadMode: 'bridge', upstreamCalls: 1 },
  ]);

  const { input_tokens: direct } = await clientOf(`${vertex.upstream.url}/v1`).messages.countTokens(counted);
  expect(through).toBeLessThan(direct / 2);
  expect(vertex.upstream.rejected()).toEqual([]);
});

test.each(['invokeModel', 'converse'] as const)(
  'tokens of Claude on Bedrock are counted for the request that %s sends',
  async (operation) => {
    const stack = await startStack({ model: MODEL });
    const count = async (endpoint: string) => {
      const client = new BedrockRuntimeClient({
        endpoint,
        region: 'us-east-1',
        token: { token: 'key' },
        authSchemePreference: ['httpBearerAuth'],
        maxAttempts: 1,
        requestHandler: new NodeHttpHandler(),
      });
      const counted = new CountTokensCommand({ modelId: 'anthropic.claude-v1', input: COUNTED[operation] });
      return (await client.send(counted)).inputTokens!;
    };
    const through = await count(stack.proxyUrl);
    await recordsOf(stack, 1);
    const format = operation === 'converse' ? 'bedrock-converse' : 'anthropic-bedrock';
    expect(stack.records).toMatchObject([
      { format, model: 'anthropic.claude-v1', planReason: 'deferred', upstreamCalls: 1 },
    ]);
    expect(through).toBeLessThan((await count(stack.upstream.url)) / 2);
    expect(stack.upstream.rejected()).toEqual([]);
  },
);

const COUNTED: Readonly<Record<'invokeModel' | 'converse', CountTokensInput>> = {
  invokeModel: {
    invokeModel: {
      body: Buffer.from(
        JSON.stringify({
          anthropic_version: 'bedrock-2023-05-31',
          max_tokens: 100,
          messages: [{ role: 'user', content: 'Will it rain in Köln?' }],
          tools: FEW_TOOLS.map(({ name, description, parameters }) => ({
            name,
            description,
            input_schema: parameters,
          })),
        }),
      ),
    },
  },
  converse: {
    converse: {
      messages: [{ role: 'user', content: [{ text: 'Will it rain in Köln?' }] }],
      toolConfig: {
        tools: FEW_TOOLS.map(({ name, description, parameters }) => ({
          toolSpec: { name, description, inputSchema: { json: parameters as never } },
        })),
      },
    },
  },
};

const CLAUDE_TOOLS = FEW_TOOLS.map(({ name, description, parameters }) => ({
  name,
  description,
  input_schema: parameters as { type: 'object' },
}));

/** The calls in Claude's response to a question. */
async function callsOf(
  messages: Pick<Anthropic['messages'], 'create' | 'stream'>,
  { model, isStream }: { readonly model: string; readonly isStream: boolean },
) {
  const request = {
    model,
    max_tokens: 100,
    messages: [{ role: 'user' as const, content: 'Do it.' }],
    tools: CLAUDE_TOOLS,
  };
  const { content } = isStream
    ? await messages.stream(request).finalMessage()
    : await messages.create(request);
  return content.filter(({ type }) => type === 'tool_use');
}

test.each([false, true])(
  "OpenAI's clients have Responses on Azure and on Bedrock (streamed: %s)",
  async (isStream) => {
    const request = {
      model: 'my-gpt',
      input: 'Do it.',
      tools: FEW_TOOLS.map(({ name, description, parameters }) => ({
        type: 'function' as const,
        name,
        description,
        parameters: parameters as Record<string, unknown>,
        strict: false,
      })),
    };
    const outputOf = async ({ responses }: OpenAI) => {
      const { output } = isStream
        ? await responses.stream(request).finalResponse()
        : await responses.create(request);
      return output;
    };
    const azure = await startCloud(AZURE);
    const endpoint = `${azure.proxyUrl}/cloud`;
    const onAzure = new AzureOpenAI({ endpoint, apiKey: 'clients-own', apiVersion: '2026-01-01' });
    expect(await outputOf(onAzure)).toMatchObject([{ type: 'function_call', name: WANTED }]);
    const path = '/openai/responses?api-version=2026-01-01';
    await expectCloud(azure, { path, key: ['api-key', 'operators'] });

    const bedrock = await startCloud({ FORMAT: 'openai' });
    const onBedrock = new BedrockOpenAI({
      apiKey: 'aws-key',
      baseURL: `${bedrock.proxyUrl}/cloud/openai/v1`,
    });
    expect(await outputOf(onBedrock)).toMatchObject([{ type: 'function_call', name: WANTED }]);
    await expectCloud(bedrock, { path: '/openai/v1/responses', key: ['authorization', 'Bearer aws-key'] });
  },
);
