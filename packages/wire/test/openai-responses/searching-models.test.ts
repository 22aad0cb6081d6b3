import { expect, test } from 'vitest';
import { loadsNatively } from '../../src/format/load-rules.ts';
import { openaiResponses } from '../../src/openai-responses/openai-responses.ts';

test.each(['gpt-5.4', 'gpt-5.4-mini', 'gpt-5.10', 'gpt-6', 'gpt-6.1-pro', 'openai/gpt-5.5', 'gpt-12'])(
  '%s can search for tools',
  (model) => {
    expect(loadsNatively(openaiResponses.loading, model)).toBe(true);
  },
);

test.each([
  'gpt-5',
  'gpt-5.3-codex',
  'gpt-5-mini',
  'gpt-4.1',
  'gpt-35-turbo',
  'gpt-oss-120b',
  'gpt-5.4x',
  'my-deployment',
  '',
  undefined,
])('%s loads tools by swapping', (model) => {
  expect(loadsNatively(openaiResponses.loading, model)).toBe(false);
});
