import { BodyBytes, FORMATS, type RequestView } from '@winnow/wire';
import { describe, expect, test } from 'vitest';
import { makeOffer } from '../../src/offer/make-offer.ts';
import { OFFERED_NAMES } from '../../src/offer/offered-tools.ts';
import { planOffer } from '../../src/offer/plan-offer.ts';
import { shownTools } from '../../src/records/shown-tools.ts';
import { bypass, isBypass } from '../../src/strategies/bypass.ts';

const format = FORMATS.find(({ name }) => name === 'openai-chat') ?? FORMATS[0];
const OPTIONS = { purpose: 'answer', searchToolName: 'gateway_search_tools', path: '/', query: '' } as const;

function viewOf(more: object): RequestView {
  const text = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Hi' }], ...more });
  const reading = format.reading.readRequest(new BodyBytes([Buffer.from(text)]), OPTIONS);
  if (!reading.ok) throw new Error(reading.reason);
  return reading.view;
}

const tool = (name: string) => ({ type: 'function', function: { name, parameters: { type: 'object' } } });
const offer = (view: RequestView, parts: object = {}) =>
  makeOffer({ format, view, readOptions: OPTIONS, isAway: false, ...parts });

describe('an offer', () => {
  test.each([[[]], [[tool('mine')]]])("follows the client's tools: %j", (tools) => {
    const made = offer(viewOf(tools.length === 0 ? {} : { tools }));
    if (made.outcome !== 'made') throw new Error(made.outcome);
    const names = made.view.tools.map(({ name }) => name);
    expect(names.slice(-3)).toEqual(['search_tools', 'call_tool', 'describe_tools']);
    expect(names).toHaveLength(tools.length + 3);
  });

  const called = {
    role: 'assistant',
    content: null,
    tool_calls: [{ id: 'c', type: 'function', function: { name: 'search_tools', arguments: '{}' } }],
  };
  test.each([
    ['a tool with one of the names', { tools: [tool('describe_tools')] }, 'name_collision'],
    [
      'a call of one of the tools in its history',
      { messages: [called, { role: 'user', content: 'x' }] },
      'name_collision',
    ],
    ['calls forced', { tools: [tool('mine')], tool_choice: 'required' }, 'tool_choice'],
    [
      'one call forced',
      { tools: [tool('mine')], tool_choice: { type: 'function', function: { name: 'mine' } } },
      'tool_choice',
    ],
    ['several choices', { n: 3 }, 'left_alone'],
  ])('is not made to a client with %s', (_, more, outcome) => {
    expect(offer(viewOf(more))).toEqual({ outcome });
  });

  test('is not made while the registry is away', () => {
    expect(offer(viewOf({}), { isAway: true })).toEqual({ outcome: 'registry_away' });
  });

  test('is not made without memory', () => {
    expect(offer(viewOf({}), { readOptions: { ...OPTIONS, take: () => false } })).toEqual({
      outcome: 'short_of_memory',
    });
  });
});

describe('the plan of an offer', () => {
  test.each(['few_tools', 'few_tokens', 'thinking_bound', 'no_function_tools'] as const)(
    'hides the calls if nothing else is edited: %s',
    (reason) => {
      const plan = planOffer(bypass(reason));
      expect(plan).toMatchObject({ offered: OFFERED_NAMES, defer: [], reason });
      expect(isBypass(plan)).toBe(false);
    },
  );

  test.each(['refused_before', 'too_many_tools', 'plan_failed'] as const)('is none where %s', (reason) => {
    expect(isBypass(planOffer(bypass(reason)))).toBe(true);
  });

  test('counts the client`s tools as without it, and the bytes of the three as shown', () => {
    const plain = viewOf({ tools: [tool('mine')] });
    const made = offer(plain);
    if (made.outcome !== 'made') throw new Error(made.outcome);
    const without = shownTools(plain, bypass('few_tools'));
    const shown = shownTools(made.view, planOffer(bypass('few_tools')));
    expect(shown.counts).toEqual(without.counts);
    expect(shown.bytesBefore).toBe(without.bytesBefore);
    expect(shown.bytesAfter).toBeGreaterThan(without.bytesAfter + 1_000);
  });
});
