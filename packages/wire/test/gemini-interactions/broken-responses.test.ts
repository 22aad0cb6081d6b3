import fc from 'fast-check';
import { expect, inject, test } from 'vitest';
import { geminiInteractions } from '../../src/gemini-interactions/gemini-interactions.ts';
import { brokenForms } from '../broken-responses.ts';
import { fn, found, planOf, play, user, viewOf } from './exchange.ts';
import { call, eventsOf, output, thought, toSse, writeInteraction } from './write-interaction.ts';

const TOOLS = [fn('a'), fn('b')];
const PLAN = planOf(['a', 'b']);
const search = call('s1', 'gateway_search_tools', '{"query":"a"}');
const hosted = { type: 'google_search_call', id: 'g', arguments: { queries: ['x'] } };
const speaking = [thought('sig', 'Hm.'), hosted, output('Let me look.')];
const plain = eventsOf({ id: 'v1_1', steps: [...speaking, call('c1', 'a', '{"n":1}')] });
const searching = eventsOf({ id: 'v1_1', steps: [...speaking, search] });
const bodyOf = (steps: Parameters<typeof eventsOf>[0]['steps']): Record<string, unknown> =>
  JSON.parse(writeInteraction({ id: 'v1_1', steps }).whole);
const wholePlain = bodyOf([...speaking, call('c1', 'a', '{"n":1}')]);
const wholeSearch = bodyOf([...speaking, search]);
const SETTINGS = { numRuns: inject('isExhaustive') ? 2_000 : 40, seed: 7 };

const streamView = viewOf({ tools: TOOLS, stream: true });
const wholeView = viewOf({ tools: TOOLS, stream: false });
type Events = Record<string, unknown>[];
const isEvent = (one: unknown): one is Record<string, unknown> => typeof one === 'object' && one !== null;
const streamed = (events: unknown) => ({ stream: toSse((events as unknown[]).filter(isEvent)), whole: '' });
const whole = (body: unknown) => ({ stream: '', whole: JSON.stringify(body) });

test('a whole interaction without a search passes unchanged, whatever is broken in it', () => {
  fc.assert(
    fc.property(brokenForms([wholePlain]), (body) => {
      expect(play(wholeView, PLAN, whole(body)).sent).toBe(JSON.stringify(body));
    }),
    SETTINGS,
  );
});

test('a stream without a search passes unchanged, whatever is broken in it', () => {
  fc.assert(
    fc.property(brokenForms<unknown>([plain.slice(0, -1)]), (broken) => {
      fc.pre(Array.isArray(broken) && broken.every((one) => isEvent(one) && one.event_type !== 'error'));
      const response = streamed([...(broken as Events), plain.at(-1)]);
      expect(play(streamView, PLAN, response).sent).toBe(response.stream);
    }),
    SETTINGS,
  );
});

test('never throws, whatever is broken in rounds that search', () => {
  const broken = brokenForms<unknown>([searching, plain]).filter(Array.isArray);
  fc.assert(
    fc.property(broken, broken, (first, second) => {
      expect(() => play(streamView, PLAN, streamed(first), streamed(second))).not.toThrow();
    }),
    SETTINGS,
  );
  const bodies = brokenForms<unknown>([wholeSearch, wholePlain]);
  fc.assert(
    fc.property(bodies, bodies, (first, second) => {
      expect(() => play(wholeView, PLAN, whole(first), whole(second))).not.toThrow();
    }),
    SETTINGS,
  );
});

test('never throws for a broken history', () => {
  const { turns } = play(streamView, PLAN, streamed(searching), streamed(plain));
  const rounds = turns.map((turn) => found(turn, 'a'));
  const hidden = geminiInteractions.remembering.hideTurn(streamView, rounds)!;
  const { steps } = wholePlain as { steps: unknown[] };
  const input = [user('Go.'), ...steps, { type: 'function_result', call_id: 'c1', result: 'x' }];
  fc.assert(
    fc.property(brokenForms<unknown>([{ input, tools: TOOLS, previous_interaction_id: 'v1_1' }]), (body) => {
      fc.pre(isEvent(body) && Array.isArray(body.input));
      const view = viewOf(body as object & Record<string, unknown>);
      const alias = { id: 'v1_1', rounds: ['v1_2'], names: [], results: hidden.results };
      const past = { hiddenTurns: [hidden], rounds, alias, dropsThinking: true };
      expect(() => geminiInteractions.editing.editRequest(view, PLAN, past)).not.toThrow();
      expect(() => [
        geminiInteractions.remembering.historyKeys(view),
        geminiInteractions.remembering.openingKey(view),
      ]).not.toThrow();
      expect(
        JSON.parse(Buffer.from(geminiInteractions.editing.editRequest(view, PLAN, past)).toString()),
      ).toBeDefined();
    }),
    SETTINGS,
  );
});
