import Anthropic from '@anthropic-ai/sdk';
import { FEW_TOOLS } from '../raw-client.ts';
import { retryAtOnce } from './retry-at-once.ts';
import { describeLaterRounds } from './suite.ts';

const REQUEST = {
  model: 'claude-opus-4-5',
  max_tokens: 100,
  messages: [{ role: 'user' as const, content: 'Do it.' }],
  tools: FEW_TOOLS.map(({ name, description, parameters }) => ({
    name,
    description,
    input_schema: parameters as { type: 'object' },
  })),
};

describeLaterRounds({
  upstream: 'anthropic',
  loadModes: ['swap', 'bridge'],
  requestsOf502: 3,
  showsThinking: true,
  showsBeginnings: true,
  hasHeartbeat: true,
  request: { path: '/v1/messages', body: { ...REQUEST, stream: true } },
  async ask(url, isStream, options) {
    const { messages } = retryAtOnce(new Anthropic({ baseURL: url, apiKey: 'key', ...options }));
    const { content } = isStream
      ? await messages.stream(REQUEST).finalMessage()
      : await messages.create(REQUEST);
    return content.flatMap((block) => (block.type === 'text' ? block.text : [])).join('');
  },
});
