import { expect, test } from 'vitest';
import { shownCounts } from '../../src/joining/rounds-usage.ts';

const chat = (prompt: number, completion: number, cached: number) => ({
  prompt_tokens: prompt,
  completion_tokens: completion,
  total_tokens: prompt + completion,
  prompt_tokens_details: { cached_tokens: cached },
  completion_tokens_details: { reasoning_tokens: completion },
  cost: 0.5,
});

const messages = (input: number, output: number, read: number) => ({
  input_tokens: input,
  output_tokens: output,
  cache_read_input_tokens: read,
  cache_creation_input_tokens: 1,
  cache_creation: { ephemeral_5m_input_tokens: 1 },
  server_tool_use: { web_search_requests: 1 },
});

const all = <Usage extends object>(usages: readonly Usage[]) =>
  (usages as readonly Record<string, unknown>[]).reduce((earlier, later) => shownCounts(earlier, later));

test('the input side is that of the last round, the output side that of all', () => {
  expect(all([chat(100, 1, 10), chat(150, 2, 100), chat(160, 4, 150)])).toEqual({
    prompt_tokens: 160,
    completion_tokens: 7,
    total_tokens: 167,
    prompt_tokens_details: { cached_tokens: 150 },
    completion_tokens_details: { reasoning_tokens: 7 },
    cost: 1.5,
  });
  expect(all([messages(5, 1, 10), messages(6, 2, 20)])).toEqual({
    input_tokens: 6,
    output_tokens: 3,
    cache_read_input_tokens: 20,
    cache_creation_input_tokens: 1,
    cache_creation: { ephemeral_5m_input_tokens: 1 },
    server_tool_use: { web_search_requests: 2 },
  });
});

test('counts of the input side that the last round does not report are not shown', () => {
  const { prompt_tokens_details: _, ...last } = chat(150, 2, 0);
  expect(all([chat(100, 1, 10), last])).not.toHaveProperty('prompt_tokens_details');
});

test("the meter of an agent's context does not move when searches happen", () => {
  const direct = chat(60_000, 200, 0);
  const searched = Array.from({ length: 5 }, (_, round) => chat(60_000 + 100 * round, 40, 0));
  const shown = all(searched) as { prompt_tokens: number; total_tokens: number };
  expect(shown.prompt_tokens / direct.prompt_tokens).toBeLessThan(1.01);
  expect(shown.total_tokens / direct.total_tokens).toBeLessThan(1.01);
});
