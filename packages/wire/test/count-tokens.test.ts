import { expect, test } from 'vitest';
import { countTokens as countMessages } from '../src/anthropic-messages/join-responses.ts';
import { countTokens as countGemini } from '../src/gemini/read-round.ts';
import { usageOf as countOllama } from '../src/ollama-chat/join-responses.ts';
import { countTokens as countChat } from '../src/openai-chat/join-responses.ts';
import { countTokens as countResponses } from '../src/openai-responses/join-responses.ts';

/** Usages as providers write them, and their common form, in which input includes everything. */

test('Anthropic counts the cache separately from the input, and reports cache writes by lifetime', () => {
  const usage = {
    input_tokens: 10,
    cache_creation_input_tokens: 300,
    cache_read_input_tokens: 2_000,
    cache_creation: { ephemeral_5m_input_tokens: 100, ephemeral_1h_input_tokens: 200 },
    output_tokens: 7,
  };
  expect(countMessages(usage)).toEqual({
    inputTokens: 2_310,
    outputTokens: 7,
    cachedInputTokens: 2_000,
    cacheWriteTokens: 300,
    longCacheWriteTokens: 200,
  });
  expect(countMessages({ input_tokens: 10, output_tokens: 7, cache_read_input_tokens: null })).toEqual({
    inputTokens: 10,
    outputTokens: 7,
  });
});

test('OpenAI counts the cache within the input, under two names of its two APIs', () => {
  const details = { cached_tokens: 64, cache_write_tokens: 20 };
  const expected = { inputTokens: 100, outputTokens: 10, cachedInputTokens: 64, cacheWriteTokens: 20 };
  expect(countChat({ prompt_tokens: 100, completion_tokens: 10, prompt_tokens_details: details })).toEqual(
    expected,
  );
  expect(countResponses({ input_tokens: 100, output_tokens: 10, input_tokens_details: details })).toEqual(
    expected,
  );
  expect(countChat({ prompt_tokens: 100, completion_tokens: 10, prompt_tokens_details: null })).toEqual({
    inputTokens: 100,
    outputTokens: 10,
  });
});

test('DeepSeek names cached tokens in its own way', () => {
  const usage = {
    prompt_tokens: 100,
    completion_tokens: 10,
    prompt_cache_hit_tokens: 80,
    prompt_cache_miss_tokens: 20,
  };
  expect(countChat(usage)).toMatchObject({ inputTokens: 100, cachedInputTokens: 80 });
});

test('Gemini leaves out zero counts, and reports no cache writes', () => {
  const usage = {
    promptTokenCount: 100,
    candidatesTokenCount: 4,
    thoughtsTokenCount: 6,
    cachedContentTokenCount: 60,
  };
  expect(countGemini(usage)).toEqual({ inputTokens: 100, outputTokens: 10, cachedInputTokens: 60 });
  expect(countGemini({ promptTokenCount: 100, candidatesTokenCount: 4 })).toMatchObject({
    cachedInputTokens: 0,
  });
});

test('Ollama reports no cache counts', () => {
  expect(countOllama({ prompt_eval_count: 10, eval_count: 2 })).toEqual({ inputTokens: 10, outputTokens: 2 });
});
