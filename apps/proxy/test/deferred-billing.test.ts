import type { Plan } from '@winnow/wire';
import { expect, it } from 'vitest';
import { isBilledAllTheSame } from '../src/strategies/deferred-billing.ts';
import { viewOf } from './request-view.ts';

const tools = Array.from({ length: 100 }, (_, number) => ({
  name: `tool_${number}`,
  description: 'Does what it says, and nothing else. '.repeat(20),
}));
const plan: Plan = {
  loadMode: 'native',
  defer: tools.map(({ name }) => name),
  load: [],
  searchTool: { name: 'search', description: '' },
  reason: 'deferred',
};
const view = viewOf({ tools });

it.each([
  ['what it shows', 300, false],
  ["what it shows, and the provider's additions", 2_000, false],
  ['all that it defers', 18_000, true],
])('a round that costs %s tells whether deferred tools were billed', (_, inputTokens, expected) => {
  expect(isBilledAllTheSame({ view, plan, hiddenTurns: [], inputTokens })).toBe(expected);
});

it('reports nothing unless all content is text', () => {
  const picture = { role: 'user', content: [{ type: 'image', source: { type: 'url', url: 'https://x' } }] };
  const shown = viewOf({ tools, more: { messages: [picture] } });
  expect(isBilledAllTheSame({ view: shown, plan, hiddenTurns: [], inputTokens: 18_000 })).toBe(false);
});
