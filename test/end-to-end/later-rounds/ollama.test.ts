import { Ollama } from 'ollama';
import { FEW_TOOLS } from '../raw-client.ts';
import { describeLaterRounds } from './suite.ts';

const REQUEST = {
  model: 'llama-test',
  messages: [{ role: 'user', content: 'Do it.' }],
  tools: FEW_TOOLS.map((tool) => ({ type: 'function', function: { ...tool } })),
  think: true,
};

describeLaterRounds({
  upstream: 'ollama',
  loadModes: ['swap', 'bridge'],
  // It does not retry.
  requestsOf502: 1,
  showsThinking: true,
  showsBeginnings: false,
  hasHeartbeat: false,
  request: { path: '/api/chat', body: REQUEST },
  async ask(url, isStream) {
    const client = new Ollama({ host: url, headers: { authorization: 'Bearer key' } });
    if (!isStream) return (await client.chat(REQUEST)).message.content;
    let text = '';
    for await (const { message } of await client.chat({ ...REQUEST, stream: true })) text += message.content;
    return text;
  },
});
