import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import { answer, callTool, say } from '@winnow/testkit';
import OpenAI from 'openai';
import { describe, expect, test } from 'vitest';
import { FEW_TOOLS, loadBy, RESPONSES_TOOLS } from './raw-client.ts';
import { recordsOf, startStack } from './start-stack.ts';

const SEARCH_TOOL = 'gateway_search_tools';
const tools = FEW_TOOLS;

/** Returns all text that a stream helper of an official client shows, and the name of the error that it throws. */
type Helper = (url: string) => Promise<{ text: string; error?: string; final?: unknown }>;

async function collect(read: (show: (text: string) => void) => Promise<unknown>): ReturnType<Helper> {
  let text = '';
  try {
    const final = await read((more) => {
      text += more;
    });
    return { text, final };
  } catch (error) {
    return { text, error: `${(error as Error).constructor.name}: ${(error as Error).message}` };
  }
}

const HELPERS: Readonly<Record<string, Helper>> = {
  Responses: (url) =>
    collect(async (show) => {
      const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: 'key', maxRetries: 0 });
      const stream = client.responses.stream({
        model: 'gpt-5-mini',
        input: 'Do it.',
        tools: RESPONSES_TOOLS,
      });
      stream.on('response.output_text.delta', ({ delta }) => show(delta));
      return (await stream.finalResponse()).output_text;
    }),
  'Chat Completions': (url) =>
    collect(async (show) => {
      const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: 'key', maxRetries: 0 });
      const stream = client.chat.completions.stream({
        model: 'm',
        messages: [{ role: 'user', content: 'Do it.' }],
        tools: tools.map((tool) => ({ type: 'function' as const, function: { ...tool } })),
      });
      stream.on('content', show);
      return (await stream.finalChatCompletion()).choices[0]!.message.content;
    }),
  Messages: (url) =>
    collect(async (show) => {
      const client = new Anthropic({ baseURL: url, apiKey: 'key', maxRetries: 0 });
      const stream = client.messages.stream({
        model: 'claude-opus-4-5',
        max_tokens: 100,
        messages: [{ role: 'user', content: 'Do it.' }],
        tools: tools.map(({ name, description, parameters }) => ({
          name,
          description,
          input_schema: parameters as { type: 'object' },
        })),
      });
      stream.on('text', show);
      return (await stream.finalMessage()).content.length;
    }),
  Gemini: (url) =>
    collect(async (show) => {
      const client = new GoogleGenAI({ apiKey: 'key', httpOptions: { baseUrl: url } });
      const stream = await client.models.generateContentStream({
        model: 'gemini-3-pro-preview',
        contents: 'Do it.',
        config: {
          tools: [
            {
              functionDeclarations: tools.map(({ name, description, parameters }) => ({
                name,
                description,
                parametersJsonSchema: parameters,
              })),
            },
          ],
        },
      });
      for await (const chunk of stream) show(chunk.text ?? '');
    }),
};

/** A request to the upstream. */
interface Asked {
  readonly text: string;
}

const END = { type: 'end' } as const;
const hasSearched = ({ text }: Asked) =>
  /"role":"tool"|"(?:tool_result|function_call_output)"|"functionResponse"/.test(text);
const search = callTool(SEARCH_TOOL, { query: tools[9]!.name });

/** Conversations in which a stream ends without an error and without its end, and what it says without Winnow. */
const ROUNDS = {
  'the first': [() => answer([say('Half of '), END]), 'Half of '],
  'the first, in its search': [
    ({ text }: Asked) =>
      text.includes(SEARCH_TOOL)
        ? answer([say('Half of '), callTool(SEARCH_TOOL, ['{"que', END])])
        : answer([say('Half of '), END]),
    'Half of ',
  ],
  'the last': [
    (request: Asked) => {
      if (!request.text.includes(SEARCH_TOOL)) return answer([say('One. Half of '), END]);
      return hasSearched(request) ? answer([say('Half of '), END]) : answer([say('One. '), search]);
    },
    'One. Half of ',
  ],
  'the original that replaces a hidden one': [
    (request: Asked) => {
      if (!request.text.includes(SEARCH_TOOL)) return answer([say('Half of '), END]);
      return hasSearched(request)
        ? ({ kind: 'error', status: 400 } as const)
        : answer([say('One. '), search]);
    },
    'One. Half of ',
  ],
} as const;

describe.each(Object.entries(HELPERS))('%s: a stream that simply ends', (_, helper) => {
  test.each(Object.entries(ROUNDS))(
    'shows a client what it would show without Winnow: %s',
    async (_round, [model, text]) => {
      const settings = { PROXY_PIPES_TOOL_DISCOVERY_STRATEGY: 'tool-search', ...loadBy('swap') };
      const direct = await startStack({ model: () => answer([say(text), END]), settings });
      const stack = await startStack({ model: (_conversation, request) => model(request), settings });
      expect(await helper(stack.proxyUrl)).toEqual(await helper(direct.upstream.url));
      await recordsOf(stack, 1);
      expect(stack.records).toMatchObject([{ outcome: 'failed' }]);
    },
  );

  test('of which nothing was seen ends in an error, if the original cannot be had', async () => {
    const settings = { PROXY_PIPES_TOOL_DISCOVERY_STRATEGY: 'tool-search', ...loadBy('swap') };
    const stack = await startStack({
      model: (_, request) => {
        if (!request.text.includes(SEARCH_TOOL)) return { kind: 'error', status: 503, message: 'No.' };
        return hasSearched(request) ? answer([END]) : answer([say('One. '), search]);
      },
      settings,
    });
    const { text, error, final } = await helper(stack.proxyUrl);
    expect(text).toBe('One. ');
    // A failed response is an error of the Responses client's user.
    expect(error ?? final).toBeDefined();
  });
});
