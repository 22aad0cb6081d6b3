import { answer, callTool, say } from '@winnow/testkit';
import OpenAI from 'openai';
import { describe, expect, test } from 'vitest';
import { selects, startFakeSelector } from './fake-selector.ts';
import { recordsOf, startStack } from './start-stack.ts';

const functionOf = (name: string, description: string) => ({
  type: 'function' as const,
  name,
  description,
  parameters: { type: 'object', properties: {} },
  strict: false,
});

/** Two of them in a namespace, as Codex sends the tools of its servers. */
const TOOLS: OpenAI.Responses.Tool[] = [
  functionOf('mail_send', 'Send an email.'),
  functionOf('calendar_create', 'Create an event.'),
  functionOf('weather_now', 'Current weather.'),
  {
    type: 'namespace',
    name: 'files',
    description: 'Files.',
    tools: [functionOf('delete', 'Delete a file.'), functionOf('copy', 'Copy a file.')],
  },
];

const CALLS = answer([say('So be it. '), callTool('mail_send'), callTool('files.delete')]);

/** Sends one request by the official client; returns the body that it wrote. */
async function ask(url: string, model: string, isStream: boolean): Promise<string> {
  let body = '';
  const { responses } = new OpenAI({
    ...{ baseURL: `${url}/v1`, apiKey: 'key', maxRetries: 0 },
    fetch: (target, init) => {
      body = String(init?.body);
      return fetch(target, init);
    },
  });
  const request = { model, input: 'Delete the email about the weather.', tools: TOOLS };
  const { output } = isStream
    ? await responses.stream(request).finalResponse()
    : await responses.create(request);
  expect(output).toMatchObject([
    { type: 'message' },
    { type: 'function_call', name: 'mail_send' },
    { type: 'function_call', name: 'delete', namespace: 'files' },
  ]);
  return body;
}

const MODES = [
  ['swap', 'gpt-5-mini'],
  ['native', 'gpt-5.4'],
  ['bridge', 'gpt-5-mini'],
] as const;

describe.each(MODES)('the arms of a rollout in OpenAI Responses, %s', (loadMode, model) => {
  test.each([false, true])(
    'shadow finds out what would have been missed, namespaces included (streamed: %s)',
    async (isStream) => {
      const stack = await startStack({
        script: [CALLS],
        selectorUrl: await startFakeSelector(selects('mail_send', 'weather_now')),
        settings: { PROXY_ROLLOUT_MODE: 'shadow', PROXY_UPSTREAMS_OPENAI_LOAD: loadMode },
        delivery: { isGzipped: true, cut: 'bytes' },
      });
      const body = await ask(stack.proxyUrl, model, isStream);
      await recordsOf(stack, 1);
      expect(stack.upstream.requests.map(({ text }) => text)).toEqual([body]);
      expect(stack.records).toMatchObject([
        {
          ...{ arm: 'shadow', format: 'openai-responses', planReason: 'deferred', loadMode },
          ...{ outcome: 'answered', upstreamCalls: 1 },
          searches: [{ outcome: 'found', names: ['mail_send', 'weather_now'] }],
          tools: { total: 5, deferred: 5, loaded: 0 },
          observation: {
            status: 'done',
            called: ['mail_send', 'files.delete'],
            wouldHaveMissed: ['files.delete'],
          },
        },
      ]);
    },
  );
});
