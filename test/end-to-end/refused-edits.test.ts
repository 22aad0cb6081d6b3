import Anthropic from '@anthropic-ai/sdk';
import { answer, callTool, type Model, say } from '@winnow/testkit';
import OpenAI from 'openai';
import { describe, expect, test } from 'vitest';
import { FEW_TOOLS, loadBy } from './raw-client.ts';
import { recordsOf, type Stack, startStack } from './start-stack.ts';

const WANTED = FEW_TOOLS[9]!.name;
const SEARCH = callTool('gateway_search_tools', { queries: [WANTED] });

async function askChat(url: string): Promise<string> {
  const { chat } = new OpenAI({ baseURL: `${url}/v1`, apiKey: 'key', maxRetries: 0 });
  const stream = chat.completions.stream({
    model: 'm',
    messages: [{ role: 'user', content: 'Do it.' }],
    tools: FEW_TOOLS.map((tool) => ({ type: 'function' as const, function: { ...tool } })),
  });
  return (await stream.finalChatCompletion()).choices[0]!.message.content!;
}

async function askMessages(url: string): Promise<string> {
  const { messages } = new Anthropic({ baseURL: url, apiKey: 'key', maxRetries: 0 });
  const { content } = await messages
    .stream({
      model: 'claude-opus-4-5',
      max_tokens: 100,
      messages: [
        {
          role: 'user',
          content: [{ type: 'text', text: 'Do it.', cache_control: { type: 'ephemeral' } }],
        },
      ],
      tools: FEW_TOOLS.map(({ name, description, parameters }) => ({
        name,
        description,
        input_schema: parameters as { type: 'object' },
      })),
    })
    .finalMessage();
  return content.flatMap((block) => (block.type === 'text' ? block.text : [])).join('');
}

/** An edit that a server refuses. */
interface RefusedEdit {
  readonly edit: string;
  readonly mode: 'swap' | 'bridge' | 'native';
  readonly ask: (url: string) => Promise<string>;
  /** Matches the head or the body of a request that has the edit. */
  readonly seen: RegExp;
  readonly status?: number;
  readonly words: string;
  /** Whether the model searches until it may not call. */
  readonly searchesOn?: true;
}

const EDITS: readonly RefusedEdit[] = [
  {
    edit: 'the request for usage',
    mode: 'swap',
    ask: askChat,
    seen: /"stream_options"/,
    words: '{"error":{"message":"Unrecognized request argument supplied: stream_options"}}',
  },
  {
    edit: 'a member of the hidden message',
    mode: 'swap',
    ask: askChat,
    seen: /"vendor_notes"/,
    status: 422,
    words: '{"detail":[{"loc":["body","messages",1,"vendor_notes"],"msg":"Extra inputs are not permitted"}]}',
  },
  {
    edit: 'the choice of no tool',
    mode: 'bridge',
    ask: askChat,
    seen: /"tool_choice":"none"/,
    words: '{"message":"tool_choice \'none\' is not supported by this model"}',
    searchesOn: true,
  },
  {
    edit: 'a beta header',
    mode: 'native',
    ask: askMessages,
    seen: /advanced-tool-use-2025-11-20/,
    words:
      '{"type":"error","error":{"type":"invalid_request_error","message":"Unexpected value(s) for the `anthropic-beta` header"}}',
  },
  {
    edit: 'a cache mark',
    mode: 'native',
    ask: askMessages,
    seen: /"tool_result".*"cache_control"/,
    words:
      '{"type":"error","error":{"type":"invalid_request_error","message":"messages.2.content.0.cache_control: Extra inputs are not permitted"}}',
  },
];

describe.each(EDITS)(
  'a server that refuses $edit',
  ({ mode, ask, seen, status = 400, words, searchesOn }) => {
    const start = (refusals: { count: number }): Promise<Stack> => {
      let searches = 0;
      const model: Model = ({ mayCall }, { text, headers }) => {
        const isFirst = !/"role":"tool"|"tool_result"/.test(text);
        if (seen.test(text) || seen.test(JSON.stringify(headers))) {
          refusals.count += 1;
          return { kind: 'bytes', status, body: words, headers: { 'content-type': 'application/json' } };
        }
        if (isFirst) searches = 0;
        if (isFirst || (searchesOn && mayCall && searches < 6)) {
          searches += 1;
          return answer([SEARCH], { fields: { vendor_notes: [] } });
        }
        return answer([say('Done.')]);
      };
      return startStack({
        model,
        isLenient: true,
        settings: { PROXY_PIPES_TOOL_DISCOVERY_STRATEGY: 'tool-search', ...loadBy(mode) },
      });
    };

    test('gets requests without it from the second on, and the rest stays as it is', async () => {
      const refusals = { count: 0 };
      const stack = await start(refusals);
      for (const count of [1, 2]) {
        expect(await ask(stack.proxyUrl)).toBe('Done.');
        await recordsOf(stack, count);
        expect(refusals.count).toBe(1);
      }
      const [first, second] = stack.records;
      expect(first!.failedRounds).toMatchObject([{ reason: 'refused', cause: String(status) }]);
      expect(second).not.toHaveProperty('failedRounds');
      for (const record of stack.records) {
        expect(record).toMatchObject({ outcome: 'answered', loadMode: mode });
        expect(record).not.toHaveProperty('restoredBecause');
        expect(record.searches!.length).toBeGreaterThan(0);
      }
    });
  },
);
