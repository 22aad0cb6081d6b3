import { expect, test } from 'vitest';
import { finalUsage } from '../../src/anthropic-messages/read-round.ts';
import { sumCounts } from '../../src/joining/rounds-usage.ts';

test('adds counts at every depth', () => {
  const first = {
    input_tokens: 400,
    cache_creation: { ephemeral_5m_input_tokens: 1800, ephemeral_1h_input_tokens: 7 },
    server_tool_use: { web_search_requests: 1, web_fetch_requests: 0 },
    output_tokens_details: { thinking_tokens: 30 },
    output_tokens: 64,
  };
  const second = {
    input_tokens: 12,
    cache_creation: { ephemeral_5m_input_tokens: 200, ephemeral_1h_input_tokens: 0 },
    server_tool_use: { web_search_requests: 2, web_fetch_requests: 1 },
    output_tokens_details: { thinking_tokens: 5 },
    output_tokens: 6,
  };
  expect(sumCounts(first, second)).toEqual({
    input_tokens: 412,
    cache_creation: { ephemeral_5m_input_tokens: 2000, ephemeral_1h_input_tokens: 7 },
    server_tool_use: { web_search_requests: 3, web_fetch_requests: 1 },
    output_tokens_details: { thinking_tokens: 35 },
    output_tokens: 70,
  });
});

test('keeps null when neither call reported a count, and counts null as zero', () => {
  const first = { cache_read_input_tokens: null, cache_creation_input_tokens: null, server_tool_use: null };
  const second = { cache_read_input_tokens: null, cache_creation_input_tokens: 3, server_tool_use: { a: 1 } };
  expect(sumCounts(first, second)).toEqual({
    cache_read_input_tokens: null,
    cache_creation_input_tokens: 3,
    server_tool_use: { a: 1 },
  });
});

test('takes a count that one call alone reports', () => {
  expect(sumCounts({ input_tokens: 1 }, { later_tokens: 2 })).toEqual({ input_tokens: 1, later_tokens: 2 });
});

test('takes tier, speed and region from the last call that names them', () => {
  const first = { service_tier: 'priority', speed: 'fast', inference_geo: 'eu' };
  const second = { service_tier: 'standard', speed: null };
  expect(sumCounts(first, second)).toEqual({ service_tier: 'standard', speed: 'fast', inference_geo: 'eu' });
});

test('lists the iterations of all calls, so that the last one still tells the size of the context', () => {
  const first = { iterations: [{ type: 'message', input_tokens: 1 }] };
  const second = { iterations: [{ type: 'message', input_tokens: 2 }] };
  expect(sumCounts(first, second)).toEqual({
    iterations: [
      { type: 'message', input_tokens: 1 },
      { type: 'message', input_tokens: 2 },
    ],
  });
});

test('replaces the counts of the start by those of the end, which are cumulative', () => {
  const atStart = { input_tokens: 412, output_tokens: 3, service_tier: 'standard' };
  const atEnd = { input_tokens: null, output_tokens: 64, server_tool_use: null };
  expect(finalUsage(atStart, atEnd)).toEqual({
    input_tokens: 412,
    output_tokens: 64,
    service_tier: 'standard',
    server_tool_use: null,
  });
});
