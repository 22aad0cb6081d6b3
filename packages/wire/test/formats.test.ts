import { expect, test } from 'vitest';
import { FORMATS, matchRoute } from '../src/index.ts';

test('every format has a name of its own, and can swap', () => {
  expect(new Set(FORMATS.map(({ name }) => name)).size).toBe(FORMATS.length);
  for (const format of FORMATS) expect(format.loading.modes).toContain('swap');
});

test.each([
  '/v1/chat/completions',
  '/v1/messages',
  '/v1/messages/count_tokens',
  '/openai/v1/chat/completions',
  '/openai/deployments/d/chat/completions',
  '/models/chat/completions',
  '/v1/projects/p/locations/l/publishers/anthropic/models/m:streamRawPredict',
])('one format alone handles %s', (path) => {
  expect(FORMATS.filter((format) => matchRoute(format.reading, 'POST', path) !== undefined)).toHaveLength(1);
});

test('formats have the data with which the proxy chooses a load mode and a retry', () => {
  const facts = FORMATS.map(({ name, loading, heartbeat }) => ({
    name,
    modes: loading.modes.join(),
    ...(loading.isSpokenByAll && { isSpokenByAll: true }),
    ...(loading.nativeHeaders && { header: loading.nativeHeaders[0]!.value }),
    ...(loading.referenceRefusal && { references: loading.referenceRefusal.statuses }),
    ...(loading.edits && { edits: loading.edits.map(({ name: edit }) => edit).join() }),
    heartbeat: heartbeat?.kind,
  }));
  expect(facts).toEqual([
    {
      name: 'openai-chat',
      modes: 'native,bridge,swap',
      isSpokenByAll: true,
      references: [400, 422, 500],
      edits: 'usage,choice',
      heartbeat: 'comment',
    },
    { name: 'openai-responses', modes: 'native,bridge,swap', edits: '.id,choice', heartbeat: 'comment' },
    {
      name: 'anthropic-messages',
      modes: 'native,bridge,swap',
      header: 'advanced-tool-use-2025-11-20',
      edits: 'betas,marks,choice',
      heartbeat: 'event',
    },
    { name: 'gemini', modes: 'bridge,swap', edits: 'choice', heartbeat: undefined },
    { name: 'gemini-interactions', modes: 'bridge,swap', edits: 'choice', heartbeat: 'comment' },
    { name: 'ollama-chat', modes: 'bridge,swap', heartbeat: undefined },
    { name: 'bedrock-converse', modes: 'bridge,swap', edits: 'marks', heartbeat: undefined },
    {
      name: 'anthropic-bedrock',
      modes: 'native,bridge,swap',
      edits: 'betas,marks,choice',
      heartbeat: 'event',
    },
  ]);
});

test('every format with bridge mode reads definitions', () => {
  const reading = FORMATS.filter(({ capabilities }) => capabilities.bridge !== undefined);
  expect(reading.map(({ name }) => name)).toEqual(
    FORMATS.filter(({ loading }) => loading.modes.includes('bridge')).map(({ name }) => name),
  );
});

test('the refusals that are worth a retry are identified by their words', () => {
  const [chat, responses] = FORMATS;
  expect(chat.loading.referenceRefusal?.words.test('unknown part type: tool_reference')).toBe(true);
  const words = responses.loading.edits?.[0]?.words;
  expect(words?.test("Item with id 'rs_1' not found. Items are not persisted when `store` is false.")).toBe(
    true,
  );
  expect(words?.test('Model not found')).toBe(false);
});
