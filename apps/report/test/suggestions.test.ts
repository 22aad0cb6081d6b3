import type { StoredRecord } from '@winnow/core';
import { expect, test } from 'vitest';
import { SuggestionsTally, suggestionsPart } from '../src/suggestions.ts';
import { makeRecords } from './make-records.ts';

const LIST = {
  id: 'list',
  tools: [
    { name: 'bash', bytes: 400, kept: true as const },
    ...['read', 'send', 'mail', 'push', 'pull', 'plan'].map((name) => ({ name, bytes: 1_200 })),
    { name: 'brew', bytes: 2_000 },
  ],
};

const [ANY] = makeRecords({ seed: 1, exchanges: 1, reasons: ['rollout_full'] });

/** Returns the record of the conversation with this number. */
function recordOf(at: number, changes: Partial<StoredRecord> = {}): StoredRecord {
  return {
    ...ANY!,
    ...{
      session: `session ${at}`,
      upstream: 'openai',
      model: 'gpt-5.2',
      arm: 'full',
      planReason: 'deferred',
    },
    time: new Date(Date.UTC(2026, 10, 20) + at * 60_000).toISOString(),
    agent: { id: 'agent', name: 'claude-cli' },
    toolList: { id: 'list' },
    ...{ status: 200, outcome: 'answered' },
    ...changes,
  };
}

function suggest(records: readonly StoredRecord[]) {
  const tally = new SuggestionsTally();
  tally.addList(LIST);
  for (const record of records) tally.add(record);
  return tally.result();
}

const many = (count: number, changes: (at: number) => Partial<StoredRecord>) =>
  Array.from({ length: count }, (_, at) => recordOf(at, changes(at)));

test('names deferred tools that a third of the conversations call, and tools that none calls', () => {
  const records = many(120, (at) => ({
    called: ['bash', ...(at % 3 === 0 ? ['read'] : []), ...(at % 4 === 0 ? ['send'] : [])],
  }));
  const [one, ...others] = suggest(records);
  expect(others).toEqual([]);
  expect(one).toMatchObject({ agent: 'claude-cli · openai · gpt-5.2', conversations: 120 });
  expect(one!.keep.map(({ tool, called, declared }) => [tool, called, declared])).toEqual([
    ['read', 40, 120],
  ]);
  expect(one!.neverCalled.map(({ tool }) => tool)).toEqual(['brew', 'mail', 'plan', 'pull', 'push']);
});

test('names five tools to keep at most, the most called first', () => {
  const names = ['read', 'send', 'mail', 'push', 'pull', 'plan'];
  const [one] = suggest(many(60, (at) => ({ called: names.slice(at % 3 === 0 ? 0 : 1) })));
  expect(one!.keep.map(({ tool }) => tool)).toEqual(['mail', 'plan', 'pull', 'push', 'send']);
});

test('counts the latest 200 conversations, whatever the order of the records', () => {
  const records = many(1_000, (at) => ({ called: at < 800 ? ['brew'] : ['read'] }));
  const results = [suggest(records), suggest(records.toReversed())];
  expect(results[0]).toEqual(results[1]);
  expect(results[0]![0]!.keep).toMatchObject([{ tool: 'read', called: 200, declared: 200 }]);
  expect(results[0]![0]!.neverCalled.map(({ tool }) => tool)).toContain('brew');
});

test('counts no exchange that the upstream refused: an invented key decides nothing', () => {
  const refused = many(300, () => ({ called: ['brew'], status: 401 }));
  expect(suggest(refused)).toEqual([]);
  expect(suggest(many(300, () => ({ called: ['brew'], outcome: 'failed', status: 502 })))).toEqual([]);
});

test('counts no clients: the same conversations under five invented keys are as many as under one', () => {
  const under = (keys: number) =>
    suggest(
      many(30, (at) => ({ called: ['send'], agent: { id: 'a', name: 'cli', client: `${at % keys}` } })),
    );
  expect(under(5)).toEqual(under(1));
});

test('counts no conversation whose calls are not recorded', () => {
  expect(suggest(many(150, () => ({ planReason: 'few_savings' })))).toEqual([]);
  expect(suggest(many(150, () => ({ arm: 'dark', observation: { status: 'done' } })))).toEqual([]);
  const shadow = many(150, () => ({ arm: 'shadow', observation: { status: 'done', called: ['send'] } }));
  expect(suggest(shadow)[0]!.keep).toMatchObject([{ tool: 'send', called: 150 }]);
});

test('suggests nothing below 20 conversations, and says so', () => {
  expect(suggest(many(19, () => ({ called: ['send'] })))).toEqual([]);
  expect(suggestionsPart([]).sentences[0]).toMatch(/nothing to suggest/);
});

test('keeps its memory bounded whatever clients call agents, tools and conversations', () => {
  const long = 'x'.repeat(10_000);
  const agents = many(500, (at) => ({ called: [`${at}${long}`], agent: { id: 'a', name: `${at}${long}` } }));
  expect(suggest(agents)).toEqual([]);
  const [one] = suggest(many(30, () => ({ called: ['read'], agent: { id: 'a', name: long } })));
  expect(one!.agent.length).toBeLessThan(200);
});

test('prints each line with its count', () => {
  const part = suggestionsPart(suggest(many(120, () => ({ called: ['read'] }))));
  expect(part.tables.map(({ title, rows }) => [title, rows[0]?.slice(1)])).toEqual([
    ['Put into tools.always_keep', ['read', '120 of 120 conversations', '300']],
    ['Never called', ['brew', '0 of 120 conversations', '500']],
  ]);
});
