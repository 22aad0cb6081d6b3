import { BedrockRuntimeClient, ConverseStreamCommand, type Tool } from '@aws-sdk/client-bedrock-runtime';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { answer, say } from '@winnow/testkit';
import { expect, test } from 'vitest';
import { CLIENT_CREDENTIALS } from './clients/aws-credentials.ts';
import { FEW_TOOLS } from './raw-client.ts';
import { recordsOf, startStack } from './start-stack.ts';

const tools = FEW_TOOLS.map(({ name, description, parameters }) => ({
  toolSpec: { name, description, inputSchema: { json: parameters } },
})) as Tool[];

test("AWS's client retries a stream that was reset before its first byte", async () => {
  const stack = await startStack({
    script: [
      {
        kind: 'bytes',
        headers: { 'content-type': 'application/vnd.amazon.eventstream' },
        body: [{ type: 'destroy' }],
      },
      answer([say('All is well.')]),
    ],
  });
  const client = new BedrockRuntimeClient({
    endpoint: stack.proxyUrl,
    region: CLIENT_CREDENTIALS.region,
    token: { token: 'key' },
    authSchemePreference: ['httpBearerAuth'],
    requestHandler: new NodeHttpHandler(),
    maxAttempts: 2,
  });
  const { stream } = await client.send(
    new ConverseStreamCommand({
      modelId: 'eu.anthropic.claude-sonnet-4-20250514-v1:0',
      messages: [{ role: 'user', content: [{ text: 'Do it.' }] }],
      toolConfig: { tools },
    }),
  );
  let text = '';
  for await (const { contentBlockDelta } of stream!) text += contentBlockDelta?.delta?.text ?? '';
  client.destroy();
  expect(text).toBe('All is well.');
  await recordsOf(stack, 2);
  expect(stack.records).toMatchObject([{ status: 502 }, { outcome: 'answered', status: 200 }]);
});
