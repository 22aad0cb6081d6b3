import OpenAI from 'openai';
import { describe } from 'vitest';
import { RESPONSES_TOOLS } from '../raw-client.ts';
import { describeLaterRounds, FailedResponse } from './suite.ts';

describe.each([
  ['swap', 'gpt-5-mini'],
  ['native', 'gpt-5.4'],
])('%s', (loadMode, model) => {
  const request = { model, input: 'Do it.', tools: RESPONSES_TOOLS };
  describeLaterRounds({
    upstream: 'openai',
    settings: { PROXY_PIPES_TOOL_DISCOVERY_LOAD_MODE: loadMode },
    requestsOf502: 3,
    showsThinking: false,
    showsBeginnings: true,
    hasHeartbeat: true,
    request: { path: '/v1/responses', body: { ...request, stream: true } },
    async ask(url, isStream) {
      const { responses } = new OpenAI({ baseURL: `${url}/v1`, apiKey: 'key' });
      const { status, error, output_text } = isStream
        ? await responses.stream(request).finalResponse()
        : await responses.create(request);
      if (status === 'failed') throw new FailedResponse(`${error?.code}: ${error?.message}`);
      return output_text;
    },
  });
});
