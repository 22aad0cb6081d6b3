import OpenAI from 'openai';
import { describe } from 'vitest';
import { RESPONSES_TOOLS } from '../raw-client.ts';
import { retryAtOnce } from './retry-at-once.ts';
import { describeLaterRounds, FailedResponse } from './suite.ts';

describe.each([
  { model: 'gpt-5-mini', loadModes: ['swap', 'bridge'] },
  { model: 'gpt-5.4', loadModes: ['native'] },
] as const)('$model', ({ model, loadModes }) => {
  const request = { model, input: 'Do it.', tools: RESPONSES_TOOLS };
  describeLaterRounds({
    upstream: 'openai',
    loadModes,
    requestsOf502: 3,
    showsThinking: false,
    showsBeginnings: true,
    hasHeartbeat: true,
    request: { path: '/v1/responses', body: { ...request, stream: true } },
    async ask(url, isStream, options) {
      const { responses } = retryAtOnce(new OpenAI({ baseURL: `${url}/v1`, apiKey: 'key', ...options }));
      const { status, error, output_text } = isStream
        ? await responses.stream(request).finalResponse()
        : await responses.create(request);
      if (status === 'failed') throw new FailedResponse(`${error?.code}: ${error?.message}`);
      return output_text;
    },
  });
});
