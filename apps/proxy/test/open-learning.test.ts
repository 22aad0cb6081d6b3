import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Learned, NOTHING_LEARNED } from '@winnow/learning';
import { defaultsOf } from '@winnow/service';
import { describe, expect, onTestFinished, test } from 'vitest';
import { SETTINGS } from '../src/config/settings.ts';
import type { LearningOrder } from '../src/learning/learn-from-files.ts';
import { learnFromFiles } from '../src/learning/learn-from-files.ts';
import { openLearning } from '../src/learning/open-learning.ts';

const DAY_MS = 86_400_000;
const REQUEST = { userAgent: 'cli/1.0', upstream: 'openai', model: 'gpt' };

const learnedOf = (appliedAt: number, ...names: string[]): Learned => ({
  ...NOTHING_LEARNED,
  appliedAt,
  agents: [
    {
      ...{ agent: 'cli', upstream: 'openai', model: 'gpt', words: { [names[0]!]: ['email'] } },
      keep: names.map((name) => ({ name, because: 'needed', evidence: 'called' })),
    },
  ],
});

/** Learning in a folder of its own, with a clock and a timer of the test. */
function start(learn: (order: LearningOrder) => Promise<unknown>, content?: string, mode = 'apply') {
  const folder = mkdtempSync(join(tmpdir(), 'open-learning-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'learned.json');
  if (content !== undefined) writeFileSync(file, content);
  const events: Record<string, unknown>[] = [];
  let [now, tick] = [10 * DAY_MS, () => {}];
  const orders: LearningOrder[] = [];
  const settings = {
    ...defaultsOf(SETTINGS),
    'learning.mode': mode as 'apply',
    'learning.file': file,
    'records.file': join(folder, 'records.jsonl'),
    'records.keep': 2,
  };
  const learning = openLearning(settings, {
    every: (_, callBack) => {
      tick = callBack;
      return () => {};
    },
    wallClock: () => now,
    writeLog: (line) => events.push(JSON.parse(line)),
    learn: (order) => {
      orders.push(order);
      return learn(order);
    },
  });
  const later = async (ms: number) => {
    now += ms;
    tick();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { folder, file, events, orders, learning, later };
}

describe('applied learning', () => {
  test('is nothing when it is off', () => {
    expect(start(async () => undefined, undefined, 'off').learning).toBeUndefined();
  });

  test('reads rotated records first, applies once a day, and replaces the file as a whole', async () => {
    const { folder, file, orders, events, learning, later } = start(async ({ now }) =>
      learnedOf(now, `tool_${now / DAY_MS}`),
    );
    await later(0);
    expect(orders[0]!.files.map((path) => path.slice(folder.length + 1))).toEqual([
      'records.jsonl.2',
      'records.jsonl.1',
      'records.jsonl',
    ]);
    expect(learning!.applied.namesFor(REQUEST)).toEqual(['tool_10']);
    expect(learning!.applied.namesFor({ ...REQUEST, userAgent: 'other/1.0' })).toEqual([]);
    expect(learning!.applied.namesFor({ ...REQUEST, model: undefined })).toEqual([]);
    expect(learning!.applied.wordsFor(REQUEST)).toEqual({ tool_10: ['email'] });
    await later(DAY_MS - 1);
    expect(orders).toHaveLength(1);
    await later(1);
    expect(orders).toHaveLength(2);
    expect(learning!.applied.namesFor(REQUEST)).toEqual(['tool_11']);
    expect(events.map(({ event, released }) => [event, released])).toEqual([
      ['learning_applied', []],
      ['learning_applied', ['tool_10']],
    ]);
    expect(readdirSync(folder)).toEqual(['learned.json']);
    expect(JSON.parse(readFileSync(file, 'utf8')).appliedAt).toBe(11 * DAY_MS);
  });

  test('continues after the clock was set back', async () => {
    const { orders, later } = start(async ({ now }) => learnedOf(now, `tool_${now / DAY_MS}`));
    await later(100 * DAY_MS);
    await later(-95 * DAY_MS);
    expect(orders.map(({ now }) => now / DAY_MS)).toEqual([110, 15]);
  });

  test('follows a file that another proxy has written, and does not learn again that day', async () => {
    const { file, orders, learning, later } = start(async ({ now }) => learnedOf(now, 'own'));
    writeFileSync(file, JSON.stringify(learnedOf(10 * DAY_MS, 'theirs')));
    await later(60_000);
    expect(learning!.applied.namesFor(REQUEST)).toEqual(['theirs']);
    expect(orders).toEqual([]);
  });

  test('drops what it has learned if a person takes something back in the meantime', async () => {
    const { promise, resolve } = Promise.withResolvers<unknown>();
    const { file, learning, later } = start(() => promise);
    await later(0);
    writeFileSync(file, JSON.stringify({ ...NOTHING_LEARNED, refused: ['x'] }));
    resolve(learnedOf(10 * DAY_MS, 'taken_back'));
    await later(60_000);
    expect(learning!.applied.namesFor(REQUEST)).toEqual([]);
  });

  test.each(['{"version":2}', '{"version":1,"agents":7}', 'x', '[]'])(
    'keeps what holds when the file is broken, and says so once: %s',
    async (broken) => {
      const good = JSON.stringify(learnedOf(10 * DAY_MS, 'send'));
      const { file, events, learning, later } = start(async () => undefined, good);
      writeFileSync(file, broken);
      await later(60_000);
      await later(60_000);
      expect(learning!.applied.namesFor(REQUEST)).toEqual(['send']);
      expect(events.slice(1)).toMatchObject([{ event: 'learning_failed', problem: 'invalid' }]);
    },
  );

  test('says that it failed, and tries again after an hour', async () => {
    const { orders, events, later } = start(async () => {
      throw Object.assign(new Error('no'), { code: 'EACCES' });
    });
    await later(0);
    await later(60_000);
    expect(orders).toHaveLength(1);
    await later(3_600_000);
    expect(orders).toHaveLength(2);
    expect(events).toMatchObject([{ event: 'learning_failed', problem: 'EACCES' }]);
  });

  test('learns nothing from records that are missing, or that are not records', async () => {
    const { folder } = start(async () => undefined);
    const file = join(folder, 'records.jsonl');
    writeFileSync(file, `${'x'.repeat(2_000_000)}\n{"event":"exchange"}\n\n[1]\nhalf of a li`);
    const order = { before: NOTHING_LEARNED, allow: ['*'], isGuarding: true, now: 1 };
    expect(await learnFromFiles({ ...order, files: [`${file}.1`, file] })).toEqual({
      ...NOTHING_LEARNED,
      appliedAt: 1,
    });
  });
});
