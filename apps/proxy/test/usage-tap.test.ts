import { brotliCompressSync, gzipSync } from 'node:zlib';
import { FORMATS } from '@winnow/wire';
import { describe, expect, it } from 'vitest';
import { UsageTap } from '../src/exchange/usage-tap.ts';
import { UpstreamBody } from '../src/upstream/upstream-body.ts';

const formatNamed = (name: string) => FORMATS.find((format) => format.name === name)!;

/** Returns the usage that a tap counts in a body of these pieces. */
async function count(name: string, pieces: readonly Uint8Array[], headers: string[] = [], status = 200) {
  const body = new UpstreamBody({ pause() {}, resume() {}, abort() {} });
  const tap = new UsageTap(formatNamed(name));
  tap.follow({ status, headers, body });
  for (const piece of pieces) body.push(Buffer.from(piece));
  body.finish();
  return tap.usage();
}

const STREAM_OF_MESSAGES = [
  'event: message_start',
  'data: {"type":"message_start","message":{"id":"m","usage":{"input_tokens":7,"cache_read_input_tokens":900,"cache_creation_input_tokens":50,"output_tokens":1}}}',
  '',
  'data: {"type":"content_block_delta","delta":{"text":"é \\"usage\\":{\\"input_tokens\\":1}"}}',
  '',
  'data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":33}}',
  '',
  '',
].join('\n');

const BODIES: readonly (readonly [format: string, body: string, expected: object])[] = [
  [
    'anthropic-messages',
    STREAM_OF_MESSAGES,
    { inputTokens: 957, outputTokens: 33, cachedInputTokens: 900, cacheWriteTokens: 50 },
  ],
  [
    'openai-chat',
    'data: {"choices":[{"delta":{"content":"a"}}],"usage":null}\n\ndata: {"choices":[],"usage":{"prompt_tokens":90,"completion_tokens":4,"prompt_tokens_details":{"cached_tokens":64}}}\n\ndata: [DONE]\n\n',
    { inputTokens: 90, outputTokens: 4, cachedInputTokens: 64 },
  ],
  [
    'openai-responses',
    '{"id":"r","output":[{"content":[{"text":"{\\"usage\\": 1}"}]}],"usage": {"input_tokens": 90, "input_tokens_details": {"cached_tokens": 0}, "output_tokens": 4}}',
    { inputTokens: 90, outputTokens: 4, cachedInputTokens: 0 },
  ],
  [
    'gemini',
    '[{"candidates":[]},{"usageMetadata":{"promptTokenCount":90,"candidatesTokenCount":4,"cachedContentTokenCount":50}}]',
    { inputTokens: 90, outputTokens: 4, cachedInputTokens: 50 },
  ],
  [
    'gemini-interactions',
    '{"usage":{"total_input_tokens":90,"total_output_tokens":4,"total_cached_tokens":50}}',
    { inputTokens: 90, outputTokens: 4, cachedInputTokens: 50 },
  ],
  [
    'bedrock-converse',
    '{"output":{},"usage":{"inputTokens":40,"outputTokens":4,"cacheReadInputTokens":50,"cacheWriteInputTokens":0}}',
    { inputTokens: 90, outputTokens: 4, cachedInputTokens: 50, cacheWriteTokens: 0 },
  ],
  [
    'ollama-chat',
    '{"message":{"content":"a"},"done":false}\n{"done":true,"prompt_eval_count":90,"eval_count":4}\n',
    { inputTokens: 90, outputTokens: 4 },
  ],
];

describe.each(BODIES)('the usage of a passing response of %s', (format, body, expected) => {
  const bytes = Buffer.from(body);

  it('is counted, however its bytes are split', async () => {
    for (let at = 0; at <= bytes.length; at++)
      expect(await count(format, [bytes.subarray(0, at), bytes.subarray(at)])).toEqual(expected);
    expect(
      await count(
        format,
        [...bytes].map((byte) => Buffer.of(byte)),
      ),
    ).toEqual(expected);
  });

  it.each([
    ['gzip', gzipSync(bytes)],
    ['br', brotliCompressSync(bytes)],
  ])('is counted in %s', async (encoding, encoded) => {
    const pieces = [encoded.subarray(0, 9), encoded.subarray(9)];
    expect(await count(format, pieces, ['content-encoding', encoding])).toEqual(expected);
  });
});

describe('a passing response', () => {
  it('without counts, with an error or with broken bytes has no usage', async () => {
    const { length } = BODIES;
    expect(length).toBe(7);
    expect(await count('openai-chat', [Buffer.from('{"choices":[]}')])).toBeUndefined();
    expect(await count('openai-chat', [Buffer.from(`{"usage":${'{"a":'.repeat(9_000)}`)])).toBeUndefined();
    expect(await count('openai-chat', [Buffer.from(BODIES[1]![1])], [], 500)).toBeUndefined();
    const gzip = ['content-encoding', 'gzip'];
    expect(await count('openai-chat', [Buffer.from(BODIES[1]![1])], gzip)).toBeUndefined();
    expect(await count('openai-chat', [Buffer.from('x')], ['content-encoding', 'unknown'])).toBeUndefined();
  });
});
