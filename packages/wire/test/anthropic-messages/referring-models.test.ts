import { expect, test } from 'vitest';
import { anthropicMessages } from '../../src/anthropic-messages/anthropic-messages.ts';
import { loadsNatively } from '../../src/format/load-rules.ts';

test.each([
  'claude-opus-4-5',
  'claude-opus-4-5-20251101',
  'claude-sonnet-4-5-20250929',
  'claude-sonnet-4-6',
  'claude-haiku-4-5-20251001',
  'claude-opus-4-8',
  'claude-opus-4.7',
  'claude-opus-5',
  'claude-sonnet-5-5',
  'claude-haiku-5-5',
  'claude-opus-12',
  'claude-fable-5-2',
  'claude-mythos-preview',
  'us.anthropic.claude-opus-4-5-20251101-v1:0',
  'claude-sonnet-4-5@20250929',
  'anthropic.claude-opus-4-6-v1:0',
  'anthropic.claude-opus-4-6-v1',
  'global.anthropic.claude-haiku-4-5-20251001-v1:0',
  'eu.anthropic.claude-sonnet-5',
])('%s can be shown tools by reference', (model) => {
  expect(loadsNatively(anthropicMessages.loading, model)).toBe(true);
});

test.each([
  'claude-opus-4-20250514',
  'claude-sonnet-4-0',
  'claude-opus-4-1-20250805',
  'claude-3-5-sonnet-20241022',
  'claude-3-7-sonnet-latest',
  'claude-3-5-haiku-latest',
  'claude-opus-4',
  'glm-5',
  '',
])('%s loads tools by swapping', (model) => {
  expect(loadsNatively(anthropicMessages.loading, model)).toBe(false);
});
