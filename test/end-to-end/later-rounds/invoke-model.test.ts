import { AnthropicBedrock } from '@anthropic-ai/bedrock-sdk';
import { FEW_TOOLS } from '../raw-client.ts';
import { retryAtOnce } from './retry-at-once.ts';
import { describeLaterRounds } from './suite.ts';

const MODEL = 'eu.anthropic.claude-sonnet-4-20250514-v1:0';
const tools = FEW_TOOLS.map(({ name, description, parameters }) => ({
  name,
  description,
  input_schema: parameters as { type: 'object' },
}));

describeLaterRounds({
  upstream: 'bedrock',
  loadModes: ['swap', 'bridge'],
  requestsOf502: 3,
  showsThinking: true,
  showsBeginnings: true,
  hasHeartbeat: true,
  request: {
    path: `/model/${encodeURIComponent(MODEL)}/invoke-with-response-stream`,
    body: {
      anthropic_version: 'bedrock-2023-05-31',
      max_tokens: 100,
      messages: [{ role: 'user', content: 'Do it.' }],
      tools,
    },
  },
  async ask(url, isStream, options) {
    const client = retryAtOnce(
      new AnthropicBedrock({ baseURL: url, apiKey: 'key', awsRegion: 'eu-central-1', ...options }),
    );
    const body = {
      model: MODEL,
      max_tokens: 4_096,
      thinking: { type: 'enabled' as const, budget_tokens: 1_024 },
      messages: [{ role: 'user' as const, content: 'Do it.' }],
      tools,
    };
    const message = isStream
      ? await client.messages.stream(body).finalMessage()
      : await client.messages.create(body);
    return message.content.map((block) => (block.type === 'text' ? block.text : '')).join('');
  },
});
