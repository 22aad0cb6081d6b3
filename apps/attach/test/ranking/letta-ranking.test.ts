import { expect, test } from 'vitest';
import { LettaRanking, type RankingChange } from '../../src/ranking/letta-ranking.ts';
import { createMemoryLetta } from '../memory-letta.ts';

const signal = new AbortController().signal;

/** Ranking by a Letta in memory with two tools, whose clock a test holds. */
function rankWith(names: (query: string) => readonly string[]) {
  const memory = createMemoryLetta();
  const ids = ['open_door', 'draw_chart'].map((name) => memory.state.upsertTool(name, {}).id);
  memory.state.ranking = names;
  const clock = { ms: 0 };
  const changes: RankingChange[] = [];
  const ranking = new LettaRanking({ now: () => clock.ms, onChange: (change) => changes.push(change) });
  const rank = () => ranking.rank('let me in', 5, { letta: memory.letta, signal });
  return { memory, clock, changes, rank, ids };
}

test('gives ids in the order of Letta', async () => {
  const { rank, ids, changes, memory } = rankWith(() => ['draw_chart', 'open_door']);
  expect(await rank()).toEqual(ids.toReversed());
  expect(changes).toEqual([]);
  expect(memory.calls.map(({ route }) => route)).toEqual(['search_tools']);
});

test('says once that it fails and why, asks again after half a minute, and says once that it works', async () => {
  const { rank, clock, changes, memory } = rankWith(() => ['open_door']);
  const { ranking } = memory.state;
  // As a server without a vector store.
  memory.state.ranking = undefined;
  expect(await rank()).toBeUndefined();
  clock.ms = 29_999;
  expect(await rank()).toBeUndefined();
  expect(memory.calls).toHaveLength(1);
  clock.ms = 30_000;
  expect(await rank()).toBeUndefined();
  expect(memory.calls).toHaveLength(2);
  expect(changes).toEqual([{ isWorking: false, reason: 'rejected' }]);
  memory.state.ranking = ranking;
  clock.ms = 60_000;
  expect(await rank()).toHaveLength(1);
  expect(await rank()).toHaveLength(1);
  expect(changes).toEqual([{ isWorking: false, reason: 'rejected' }, { isWorking: true }]);
});

test.each(['reset', 'silence', 'nonsense', 500] as const)(
  'has no ranking when Letta meets %s',
  async (fault) => {
    const { rank, changes, memory } = rankWith(() => ['open_door']);
    memory.faults = () => fault;
    expect(await rank()).toBeUndefined();
    expect(changes).toMatchObject([{ isWorking: false }]);
  },
);

test('what finds nothing ranks nothing, and is not a failure', async () => {
  const { rank, changes } = rankWith(() => []);
  expect(await rank()).toBeUndefined();
  expect(changes).toEqual([]);
});
