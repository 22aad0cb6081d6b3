import { playModel } from '@winnow/testkit';
import OpenAI from 'openai';
import type { Response, ResponseInput } from 'openai/resources/responses/responses';
import { describe, expect, test } from 'vitest';
import { FEW_TOOLS, RESPONSES_TOOLS } from './raw-client.ts';
import { recordsOf, startStack } from './start-stack.ts';

const WANTED = FEW_TOOLS[9]!.name;
const PLAN = {
  thinks: true,
  turns: [{ steps: [{ searchFor: [WANTED], thenCall: [{ name: WANTED, input: {} }] }] }],
};

describe.each([
  ['swap', 'gpt-5-mini'],
  ['native', 'gpt-5.4'],
  ['bridge', 'gpt-5-mini'],
])('a server that looks for unstored reasoning by its id, %s', (loadMode, model) => {
  const start = (settings = {}) =>
    startStack({
      model: playModel(PLAN),
      rules: { refusesUnstoredIds: true },
      settings: { PROXY_UPSTREAMS_OPENAI_LOAD: loadMode, ...settings },
    });

  /** A conversation of two turns whose client knows that ids of reasoning are refused. */
  async function converse(url: string, isStream: boolean): Promise<Response[]> {
    const { responses } = new OpenAI({ baseURL: `${url}/v1`, apiKey: 'key', maxRetries: 0 });
    const ask = (input: ResponseInput): Promise<Response> => {
      const body = {
        model,
        input,
        tools: RESPONSES_TOOLS,
        store: false,
        reasoning: { effort: 'low' as const },
      };
      return isStream ? responses.stream(body).finalResponse() : responses.create(body);
    };
    const question = { role: 'user' as const, content: 'Do it.' };
    const first = await ask([question]);
    const output = first.output.map((item) =>
      item.type === 'reasoning' ? { ...item, id: undefined } : item,
    );
    const results = first.output.flatMap((item) =>
      item.type === 'function_call'
        ? [{ type: 'function_call_output' as const, call_id: item.call_id, output: 'done' }]
        : [],
    );
    return [first, await ask([question, ...(output as ResponseInput), ...results])];
  }

  test.each([false, true])(
    'gets hidden items without their ids, and refuses them once (streamed: %s)',
    async (isStream) => {
      const stack = await start();
      for (const count of [2, 4]) {
        const [first, second] = await converse(stack.proxyUrl, isStream);
        expect(first!.output.at(-1)).toMatchObject({ type: 'function_call', name: WANTED });
        expect(second!.output_text).toContain('is done');
        await recordsOf(stack, count);
      }
      const rejections = stack.upstream.rejected().map(({ rejection }) => rejection!.message);
      expect(rejections).toEqual([expect.stringMatching(/^Item with id 'rs_\w+' not found/)]);
      // The hidden turns went back anyway.
      expect(stack.upstream.requests.at(-1)!.text).toMatch(/"(?:gateway_search_tools|tool_search_call)"/);
      expect(stack.records.map(({ restoredBecause }) => restoredBecause)).toEqual(Array(4).fill(undefined));
      expect(stack.records[0]!.failedRounds).toEqual([{ reason: 'refused', cause: '400' }]);
      expect(stack.records[1]!.hiddenTurnsKnown).toBe(1);
    },
  );

  test('is asked once more only for what it says: any other refusal is answered by the original', async () => {
    const search = { searchFor: [WANTED], thenCall: [{ name: WANTED, input: {} }] };
    const plays = playModel({ thinks: true, turns: [{ steps: [search] }] });
    const stack = await startStack({
      settings: { PROXY_UPSTREAMS_OPENAI_LOAD: loadMode },
      model: (conversation, request) =>
        /"type":"(?:function_call|tool_search)_output"/.test(request.text)
          ? { kind: 'error', status: 400, message: "Invalid 'input'." }
          : plays(conversation, request),
    });
    const { responses } = new OpenAI({ baseURL: `${stack.proxyUrl}/v1`, apiKey: 'key', maxRetries: 0 });
    const { output } = await responses.create({
      model,
      input: 'Do it.',
      tools: RESPONSES_TOOLS,
      store: false,
    });
    expect(output.at(-1)).toMatchObject({ type: 'function_call', name: WANTED });
    await recordsOf(stack, 1);
    expect(stack.records).toMatchObject([{ restoredBecause: 'later_round_failed', upstreamCalls: 3 }]);
  });
});
