import type { Plan, Turn } from '@winnow/wire';
import { describe, expect, test } from 'vitest';
import {
  afterTurn,
  isHopeless,
  isLast,
  type LoopProgress,
  planToSend,
  startOfLoop,
  withoutChange,
} from '../src/exchange/loop-progress.ts';
import type { Resolution } from '../src/search/resolve-searches.ts';

const TURN: Turn = { message: '{}', realCalls: [], searches: [] };

const planOf = (loadMode: 'swap' | 'native'): Plan => ({
  loadMode,
  defer: ['before', 'found', 'other'],
  load: ['before'],
  searchTool: { name: 'search', description: '' },
  reason: 'deferred',
});

const found = (...names: string[]): Resolution => ({
  results: [],
  found: names,
  isRestored: false,
  records: [],
});

function after(loadMode: 'swap' | 'native', ...resolutions: Resolution[]): LoopProgress {
  return resolutions.reduce(
    (progress, resolution) => afterTurn(progress, TURN, resolution),
    startOfLoop(planOf(loadMode), false),
  );
}

const NOTHING = found();

describe('a search loop', () => {
  test.each([
    ['native', ['before']],
    ['swap', ['before', 'found']],
  ] as const)('sends, in %s mode, %j as loaded after a search', (loadMode, load) => {
    expect(planToSend(after(loadMode, found('found'))).load).toEqual(load);
  });

  test('brings preloaded tools by a search, or not at all, where a change of tools is refused', () => {
    const native = planOf('native') as Extract<Plan, { loadMode: 'native' }>;
    const start = startOfLoop({ ...native, preload: { names: ['before'], form: 'change' } }, false);
    expect(withoutChange(start, true).plan).toMatchObject({ preload: { names: ['before'], form: 'search' } });
    expect(withoutChange(start, false).plan).toMatchObject({ load: [], preload: undefined });
    for (const mode of ['swap', 'native'] as const)
      expect(withoutChange(startOfLoop(planOf(mode), false), false).plan.load).toEqual(['before']);
  });

  test('loads each name once, in the order of discovery', () => {
    const progress = after('swap', found('other', 'found'), found('found', 'before'));
    expect(progress.plan.load).toEqual(['before', 'other', 'found']);
    expect(progress.found).toEqual(['other', 'found', 'before']);
    expect(progress.rounds).toHaveLength(2);
  });

  test('loads everything after a failed search, without counting it as found', () => {
    const progress = after('swap', { ...NOTHING, isRestored: true });
    expect(progress.plan.load).toEqual(['before', 'found', 'other']);
    expect(progress.found).toEqual([]);
  });

  test('removes the search tool after the fifth round, and shows everything', () => {
    const four = [NOTHING, NOTHING, NOTHING, NOTHING];
    expect(after('swap', ...four).plan.searchTool).toBeDefined();
    expect(after('swap', ...four, NOTHING).plan).toMatchObject({
      defer: [],
      load: [],
      searchTool: undefined,
    });
  });

  test('keeps the tools after the fifth round in native mode, and removes the search tool after a sixth', () => {
    const five = [NOTHING, NOTHING, NOTHING, NOTHING, NOTHING];
    const { plan } = after('native', ...five);
    expect(plan.searchTool).toBeDefined();
    expect(plan.load).toEqual(['before', 'found', 'other']);
    expect(after('native', ...five, NOTHING).plan.searchTool).toBeUndefined();
  });

  test('keeps the tools of a model whose thinking is bound to them, which must then answer', () => {
    const six = Array.from({ length: 6 }, () => NOTHING);
    const begun = startOfLoop(planOf('native'), true);
    const progress = six.reduce((before, resolution) => afterTurn(before, TURN, resolution), begun);
    expect(planToSend(progress)).toEqual({ ...begun.plan, load: begun.plan.load, forbidsCalls: true });
    expect([isLast(begun), isLast(progress)]).toEqual([false, true]);
  });

  describe('in bridge mode', () => {
    const plan: Plan = {
      ...planOf('swap'),
      loadMode: 'bridge',
      bridgeTool: { name: 'call', description: '' },
      bridged: ['before', 'found', 'other'],
    };
    const turnWith = (...names: string[]): Turn => ({
      ...TURN,
      searches: names.map((name) => ({ id: name, name, queries: [] })),
    });
    const play = (...turns: Turn[]) =>
      turns.reduce(
        (progress, turn) => afterTurn(progress, turn, { ...NOTHING, isRestored: true }),
        startOfLoop(plan, false),
      );
    const [searching, refused] = [turnWith('search'), turnWith('call', 'call')];

    test('keeps the tools, whatever is found or fails', () => {
      const tools = [{ name: 'found', description: '' }];
      const progress = afterTurn(startOfLoop(plan, false), searching, {
        ...NOTHING,
        results: [
          { callId: '1', kind: 'found', tools },
          { callId: '2', kind: 'restored', tools: [{ name: 'other', description: '' }] },
        ],
      });
      expect(progress.plan).toEqual({ ...plan, load: ['before', 'found'] });
      expect(play(searching).plan).toEqual(plan);
    });

    test('does not count rounds of refused calls as searches', () => {
      expect(play(refused, searching, refused, turnWith('search', 'call')).searches).toBe(2);
    });

    test('has the model answer after a search beyond the last one', () => {
      const five = Array.from({ length: 5 }, () => searching);
      expect(isLast(play(refused, refused, ...five))).toBe(false);
      const last = play(refused, refused, ...five, searching);
      expect(planToSend(last)).toEqual({ ...plan, forbidsCalls: true });
      expect(isLast(last)).toBe(true);
    });
  });

  test('gives up calls through the bridge tool that name no tool after two refusals, or the last search', () => {
    const bridge = { name: 'bridge', description: '' };
    const bridged: Plan = { ...planOf('swap'), loadMode: 'bridge', bridgeTool: bridge, bridged: [] };
    const turnOf = (name: string): Turn => ({ ...TURN, searches: [{ id: 'call_1', name, queries: [] }] });
    const [refused, searching] = [turnOf('bridge'), turnOf('search')];
    const afterTurns = (...turns: Turn[]) =>
      turns.reduce((progress, turn) => afterTurn(progress, turn, NOTHING), startOfLoop(bridged, false));
    expect(isHopeless(afterTurns(refused), refused)).toBe(false);
    expect(isHopeless(afterTurns(refused, searching, refused), refused)).toBe(true);
    expect(isHopeless(afterTurns(refused, refused), searching)).toBe(false);
    expect(isHopeless(afterTurns(...Array.from({ length: 5 }, () => searching)), refused)).toBe(true);
  });
});
