import { GoogleGenAI } from '@google/genai';
import { FEW_TOOLS } from '../raw-client.ts';
import { describeLaterRounds, FailedResponse } from './suite.ts';

const request = {
  model: 'gemini-3-pro-preview',
  input: 'Do it.',
  generation_config: { thinking_summaries: 'auto' as const },
  tools: FEW_TOOLS.map(({ name, description, parameters }) => ({
    type: 'function' as const,
    name,
    description,
    parameters,
  })),
};

describeLaterRounds({
  upstream: 'gemini',
  loadModes: ['swap', 'bridge'],
  // Its retries are off: by default it retries after half a second or more.
  requestsOf502: 1,
  showsThinking: false,
  showsBeginnings: true,
  hasHeartbeat: true,
  request: { path: '/v1beta/interactions', body: { ...request, stream: true } },
  async ask(url, isStream) {
    const { interactions } = new GoogleGenAI({ apiKey: 'key', httpOptions: { baseUrl: url } });
    const options = { maxRetries: 0 };
    if (!isStream) {
      const whole = await interactions.create({ ...request, stream: false }, options);
      return whole.output_text ?? '';
    }
    let text = '';
    for await (const event of await interactions.create({ ...request, stream: true }, options)) {
      if (event.event_type === 'step.delta' && event.delta.type === 'text') text += event.delta.text;
      // The error arrives as an event; nothing is thrown.
      if (event.event_type === 'error')
        throw new FailedResponse(`${event.error?.code}: ${event.error?.message}`);
    }
    return text;
  },
});
