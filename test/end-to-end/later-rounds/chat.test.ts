import OpenAI from 'openai';
import { FEW_TOOLS } from '../raw-client.ts';
import { retryAtOnce } from './retry-at-once.ts';
import { describeLaterRounds } from './suite.ts';

const REQUEST = {
  model: 'gpt-test',
  messages: [{ role: 'user' as const, content: 'Do it.' }],
  tools: FEW_TOOLS.map((tool) => ({ type: 'function' as const, function: { ...tool } })),
};

describeLaterRounds({
  upstream: 'openai',
  loadModes: ['swap', 'bridge'],
  requestsOf502: 3,
  showsThinking: true,
  showsBeginnings: false,
  hasHeartbeat: true,
  request: { path: '/v1/chat/completions', body: { ...REQUEST, stream: true } },
  async ask(url, isStream, options) {
    const { chat } = retryAtOnce(new OpenAI({ baseURL: `${url}/v1`, apiKey: 'key', ...options }));
    if (!isStream) return (await chat.completions.create(REQUEST)).choices[0]!.message.content ?? '';
    let text = '';
    for await (const chunk of await chat.completions.create({ ...REQUEST, stream: true })) {
      text += chunk.choices[0]?.delta.content ?? '';
    }
    return text;
  },
});
