import type { Learned, Suggestions } from '@winnow/learning';
import { defaultsOf } from '@winnow/service';
import { expect, test, vi } from 'vitest';
import type { Settings } from '../../src/config/config.ts';
import { SETTINGS } from '../../src/config/settings.ts';
import { pageLearning } from '../../src/page/page-learning.ts';

const support = {
  ...{ conversations: 9, of: 40, clients: 3 },
  withoutOne: { conversations: 6, of: 30, least: 0.2, most: 0.3 },
};

const FOUND: Suggestions = {
  ...{ agent: 'cli', upstream: 'openai', model: 'gpt', conversations: 40, clients: 3, keptPatterns: [] },
  ...{ keep: [], release: [], unused: [] },
  words: [{ tool: 'issues', words: [{ word: 'backlog', conversations: 9 }] }],
  unanswered: [{ hash: 'abcd', text: 'a secret plan', support }],
};

const LEARNED: Learned = {
  version: 1,
  appliedAt: Date.UTC(2026, 10, 24, 8),
  agents: [
    { agent: 'cli', upstream: 'openai', model: 'gpt', keep: [], words: { issues: ['backlog', '#1a'] } },
  ],
  refused: ['["cli","openai","gpt","send"]'],
};

function open(changes: Partial<Settings> = {}, learned: Learned | undefined = LEARNED) {
  const clock = { now: 1_000 };
  const suggest = vi.fn(async (_: readonly string[]) => [FOUND]);
  const settings = { ...defaultsOf(SETTINGS), ...changes };
  return {
    clock,
    suggest,
    page: pageLearning(settings, { learned: () => learned, wallClock: () => clock.now, suggest }),
  };
}

test.each([
  [{}, false],
  [{ 'records.query_text': true }, true],
])('with %j, words of users and models are shown: %s', async (changes, isShown) => {
  const { page } = open(changes);
  const text = JSON.stringify([await page.suggestions(), page.applied()]);
  expect([text.includes('backlog'), text.includes('a secret plan')]).toEqual([isShown, isShown]);
  expect(text).toContain(isShown ? 'backlog, 1 word, hashed' : '2 words');
  expect(text.includes('hash abcd')).toBe(!isShown);
  expect(text).toContain('not learned again: 1 tool.');
});

test('reads the rotated files first, once for all who ask within a minute', async () => {
  const { page, suggest, clock } = open({ 'records.file': 'records.jsonl', 'records.keep': 2 });
  const [one, other] = await Promise.all([page.suggestions(), page.suggestions()]);
  expect(one).toBe(other);
  expect(suggest.mock.calls).toEqual([[['records.jsonl.2', 'records.jsonl.1', 'records.jsonl']]]);
  clock.now += 59_999;
  await page.suggestions();
  expect(suggest).toHaveBeenCalledTimes(1);
  clock.now += 1;
  await page.suggestions();
  expect(suggest).toHaveBeenCalledTimes(2);
});

test('reads again at once after a failure', async () => {
  const { page, suggest } = open();
  suggest.mockRejectedValueOnce(new Error('out of memory'));
  await expect(page.suggestions()).rejects.toThrow('out of memory');
  expect((await page.suggestions()).tables).toHaveLength(1);
});

test('says that records are needed', async () => {
  const { page, suggest } = open({ 'records.file': 'none' });
  expect((await page.suggestions()).sentences[0]).toContain('records.file is none');
  expect(suggest).not.toHaveBeenCalled();
});

test('tells nothing of learning where it is off', () => {
  const settings = defaultsOf(SETTINGS);
  expect(pageLearning(settings, { learned: () => undefined, wallClock: () => 0 }).applied()).toBe(undefined);
});
