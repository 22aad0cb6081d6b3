import { expect, test } from 'vitest';
import { countTokens } from '../../src/gemini-interactions/join-responses.ts';
import { countsByKind } from '../../src/joining/rounds-usage.ts';

const rules = countsByKind(countTokens, ({ modality, type }) => modality ?? type);

const ROUND = {
  total_tokens: 130,
  total_input_tokens: 90,
  total_cached_tokens: 64,
  cached_tokens_by_modality: [{ modality: 'text', tokens: 64 }],
  total_output_tokens: 9,
  output_tokens_by_modality: [{ modality: 'text', tokens: 9 }],
  total_tool_use_tokens: 16,
  total_thought_tokens: 15,
  grounding_tool_count: [{ type: 'google_search', count: 1 }],
};

test('a client is shown the input of the last round, and the output of all, in lists with one entry for each kind', () => {
  expect(rules.show(ROUND, { ...ROUND, total_input_tokens: 100, total_tokens: 140 })).toEqual({
    ...ROUND,
    // The input of the last round, and the output of the first.
    total_tokens: 140 + 9 + 15,
    total_input_tokens: 100,
    total_output_tokens: 18,
    output_tokens_by_modality: [{ modality: 'text', tokens: 18 }],
    total_thought_tokens: 30,
    grounding_tool_count: [{ type: 'google_search', count: 2 }],
  });
});

test('all of it is added up for the record', () => {
  const summed = rules.sum(ROUND, ROUND);
  expect(summed).toMatchObject({
    total_tokens: 260,
    total_tool_use_tokens: 32,
    cached_tokens_by_modality: [{ modality: 'text', tokens: 128 }],
  });
  expect(countTokens(summed)).toEqual({ inputTokens: 212, outputTokens: 48, cachedInputTokens: 128 });
});
