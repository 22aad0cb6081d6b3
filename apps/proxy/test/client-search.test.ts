import { BodyBytes, FORMATS, matchRoute } from '@winnow/wire';
import { describe, expect, test } from 'vitest';
import { readExchange } from '../src/reading/read-exchange.ts';

type TestTool = readonly [name: string, description?: string];

const OTHERS: readonly TestTool[] = [['read_file'], ['write_file']];

/** Returns the reasons for which a request with these tools is left alone, in both formats. */
async function reasonsFor(tools: readonly TestTool[], { choice }: { choice?: string } = {}) {
  const chat = {
    tools: tools.map(([name, description = '']) => ({ type: 'function', function: { name, description } })),
    ...(choice && { tool_choice: { type: 'function', function: { name: choice } } }),
  };
  const messages = {
    tools: tools.map(([name, description = '']) => ({ name, description, input_schema: { type: 'object' } })),
    ...(choice && { tool_choice: { type: 'tool', name: choice } }),
  };
  const reasons = [];
  for (const [path, body] of [['/v1/chat/completions', chat] as const, ['/v1/messages', messages] as const]) {
    const format = FORMATS.find((one) => matchRoute(one.reading, 'POST', path) === 'answer')!;
    const whole = { model: 'm', max_tokens: 1, messages: [{ role: 'user', content: 'hi' }], ...body };
    const outcome = await readExchange(new BodyBytes([Buffer.from(JSON.stringify(whole))]), {
      format,
      purpose: 'answer',
      address: { path, query: '' },
      contentEncoding: undefined,
      searchToolName: 'gateway_search_tools',
      limitBytes: 1_000_000,
      onDefect: (error) => {
        throw error;
      },
    });
    reasons.push(outcome.ok ? 'none' : outcome.reason);
  }
  return [...new Set(reasons)].join();
}

describe('a client that defers by itself', () => {
  test.each([
    [[['tool_search'], ['tool_call'], ...OTHERS]],
    [[['ToolSearch'], ['execute_tool'], ...OTHERS]],
    [[['tool_search', 'Searches for deferred tools and loads their definitions.'], ...OTHERS]],
    [[['search_tools', 'Discover tools by keyword.'], ...OTHERS]],
  ] as [TestTool[]][])('is told by its search: %j', async (tools) => {
    expect(await reasonsFor(tools)).toBe('client_defers');
  });

  test.each([
    [OTHERS],
    [[['tool_call'], ...OTHERS]],
    [[['search_tools', 'Searches the shop for hammers and drills.'], ...OTHERS]],
    [[['my_tool_search', 'Finds tools.'], ...OTHERS]],
  ] as [TestTool[]][])('is not seen where there is none: %j', async (tools) => {
    expect(await reasonsFor(tools)).toBe('none');
  });
});

test('a client that forces the search tool, which it cannot know, is left alone', async () => {
  expect(await reasonsFor(OTHERS, { choice: 'gateway_search_tools' })).toBe('search_tool_forced');
  expect(await reasonsFor(OTHERS, { choice: 'read_file' })).toBe('none');
});
