import {
  BedrockRuntimeClient,
  ConverseCommand,
  ConverseStreamCommand,
  type Tool,
} from '@aws-sdk/client-bedrock-runtime';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { CLIENT_CREDENTIALS } from '../clients/aws-credentials.ts';
import { FEW_TOOLS } from '../raw-client.ts';
import { describeLaterRounds } from './suite.ts';

const MODEL = 'eu.anthropic.claude-sonnet-4-20250514-v1:0';
const tools = FEW_TOOLS.map(({ name, description, parameters }) => ({
  toolSpec: { name, description, inputSchema: { json: parameters } },
})) as Tool[];

describeLaterRounds({
  upstream: 'bedrock',
  loadModes: ['swap', 'bridge'],
  // Outside a stream, the service names a failure by a header alone.
  requestsOf502: 1,
  // Texts have no start event.
  showsThinking: true,
  showsBeginnings: false,
  hasHeartbeat: false,
  request: {
    path: `/model/${encodeURIComponent(MODEL)}/converse-stream`,
    body: { messages: [{ role: 'user', content: [{ text: 'Do it.' }] }], toolConfig: { tools } },
  },
  async ask(url, isStream) {
    const client = new BedrockRuntimeClient({
      endpoint: url,
      region: CLIENT_CREDENTIALS.region,
      token: { token: 'key' },
      authSchemePreference: ['httpBearerAuth'],
      requestHandler: new NodeHttpHandler(),
      // Its own retries wait in real time.
      maxAttempts: 1,
    });
    const input = {
      modelId: MODEL,
      messages: [{ role: 'user' as const, content: [{ text: 'Do it.' }] }],
      toolConfig: { tools },
      additionalModelRequestFields: { thinking: { type: 'enabled', budget_tokens: 1_024 } },
      inferenceConfig: { maxTokens: 4_096 },
    };
    try {
      if (!isStream) {
        const { output } = await client.send(new ConverseCommand(input));
        return output!.message!.content!.map(({ text = '' }) => text).join('');
      }
      let text = '';
      const { stream } = await client.send(new ConverseStreamCommand(input));
      for await (const { contentBlockDelta } of stream!) text += contentBlockDelta?.delta?.text ?? '';
      return text;
    } catch (error) {
      // The library keeps the status next to its error.
      const { $metadata, name } = error as { $metadata?: { httpStatusCode?: number }; name: string };
      throw Object.assign(error as Error, { status: $metadata?.httpStatusCode, error: { type: name } });
    } finally {
      client.destroy();
    }
  },
});
