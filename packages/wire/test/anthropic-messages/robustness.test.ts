import fc from 'fast-check';
import { expect, inject, test } from 'vitest';
import { anthropicMessages } from '../../src/anthropic-messages/anthropic-messages.ts';
import { PLAN, planOf, readWritten, VIEW, viewOf } from './exchange.ts';

/** Events in which any member, however deep, may be replaced or missing. */
const brokenEvents = fc
  .tuple(
    fc.constantFrom('thinking-search', 'search-with-call', 'server-tools', 'unknown-parts', 'error'),
    fc.infiniteStream(fc.option(fc.jsonValue({ maxDepth: 1 }), { freq: 12, nil: undefined })),
    fc.infiniteStream(fc.nat(25)),
  )
  .map(([name, values, choices]) => readWritten(name).map((event) => breakValue(event, values, choices)));

test('survives any stream of an upstream', () => {
  fc.assert(
    fc.property(brokenEvents, brokenEvents, fc.boolean(), (first, second, isWhole) => {
      const joiner = anthropicMessages.joining.joinResponses(VIEW, PLAN);
      for (const events of [first, second]) {
        for (const event of events) {
          const data = JSON.stringify(event);
          const wire = { kind: 'event', data } as const;
          expect(joiner.feed(isWhole ? { kind: 'whole', text: data } : wire)).toBeInstanceOf(Array);
        }
        const end = joiner.endRound();
        if (end.kind === 'failed') {
          expect(joiner.fail(end)).toBeInstanceOf(Array);
          return;
        }
        expect(JSON.parse(end.turn.message)).toMatchObject({ role: 'assistant' });
        const rounds = [{ turn: end.turn, results: [] }];
        expect(() => anthropicMessages.remembering.hideTurn(VIEW, rounds)).not.toThrow();
      }
      expect(joiner.finish()).toBeInstanceOf(Array);
    }),
    { numRuns: inject('isExhaustive') ? 400 : 25, seed: 7 },
  );
});

const block = fc.record(
  {
    type: fc.constantFrom('text', 'tool_use', 'tool_result', 'thinking', 7),
    id: fc.constantFrom('toolu_01Weather', 'x', null),
    tool_use_id: fc.constantFrom('toolu_01Weather', 'x'),
    name: fc.constantFrom('weather_get', 'gateway_search_tools', 3),
    text: fc.jsonValue({ maxDepth: 1 }),
    content: fc.jsonValue({ maxDepth: 2 }),
    cache_control: fc.constantFrom(null, { type: 'ephemeral' }),
  },
  { requiredKeys: [] },
);
const message = fc.oneof(
  fc.record({
    role: fc.constantFrom('user', 'assistant', 'system'),
    content: fc.oneof(fc.string(), fc.array(block)),
  }),
  fc.jsonValue({ maxDepth: 2 }),
);
const tool = fc.oneof(
  fc.record(
    {
      name: fc.constantFrom('weather_get', 'mail_send', ''),
      input_schema: fc.constantFrom({}, { type: 'object' }, null),
      cache_control: fc.constantFrom(null, 5, { type: 'ephemeral', ttl: '1h' }),
      defer_loading: fc.constantFrom(false, null),
      type: fc.constantFrom('custom', null, 'bash_20250124'),
    },
    { requiredKeys: [] },
  ),
  fc.jsonValue({ maxDepth: 1 }),
);

test('survives any request of a client, and always sends JSON upstream', () => {
  const hiddenTurns = [
    {
      format: 'anthropic-messages',
      keys: { own: ['call:toolu_01Weather', 'call:x'], conversation: undefined },
      names: ['weather_get'],
      visible: '["tool_use","x","weather_get",null]',
      before: ['{"role":"assistant","content":[]}', '[]'],
      message: '{"role":"assistant","content":[]}',
      results: ['{"callId":"s","kind":"found","names":["weather_get"],"text":"found"}'],
    },
  ];
  fc.assert(
    fc.property(
      fc.record({ messages: fc.array(message), tools: fc.oneof(fc.array(tool), fc.jsonValue()) }),
      fc.constantFrom('swap' as const, 'native' as const),
      fc.boolean(),
      (request, loadMode, hasSearchTool) => {
        const view = viewOf(request);
        const searchTool = hasSearchTool ? PLAN.searchTool : undefined;
        const plan = { ...planOf(loadMode, ['weather_get', 'mail_send'], ['mail_send']), searchTool };
        const bytes = anthropicMessages.editing.editRequest(view, plan, { hiddenTurns, rounds: [] });
        expect(JSON.parse(new TextDecoder().decode(bytes))).toHaveProperty('messages');
      },
    ),
    { numRuns: inject('isExhaustive') ? 1_000 : 50, seed: 7 },
  );
});

/** Returns the value with some of its members replaced, or left out when there is no replacement. */
function breakValue(value: unknown, values: fc.Stream<unknown>, choices: fc.Stream<number>): unknown {
  if (choices.next().value === 0) return values.next().value ?? null;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((member) => breakValue(member, values, choices));
  const members = Object.entries(value).filter(() => choices.next().value !== 1);
  return Object.fromEntries(members.map(([key, member]) => [key, breakValue(member, values, choices)]));
}
