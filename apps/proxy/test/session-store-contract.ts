import type { HiddenTurn } from '@winnow/wire';
import { describe, expect, it } from 'vitest';
import type { SessionStore } from '../src/sessions/session-store.ts';

/** A store under test, and how its time passes. */
export interface StoreUnderTest {
  readonly store: SessionStore;
  /** Lets so many milliseconds go by for what is stored. */
  readonly advance: (ms: number) => Promise<void> | void;
}

/** The time to live that the suite expects of the stores it is given, in milliseconds: so long that no test comes near it by itself. */
export const CONTRACT_TTL_MS = 3_600_000;

/** Short of the time to live, by more than a test takes. */
const NEARLY_TTL_MS = CONTRACT_TTL_MS - 600_000;

/** A hidden turn that can be told from others by its mark. */
export function hiddenTurn(mark: string): HiddenTurn {
  return { format: 'f', keys: [mark], visible: mark, before: [], message: mark, results: [] };
}

/** What every session store must do. */
export function describeSessionStore(
  name: string,
  create: () => StoreUnderTest | Promise<StoreUnderTest>,
): void {
  describe(`${name} as a session store`, () => {
    it('gives an empty session for a key that it does not know', async () => {
      expect(await (await create()).store.read('nobody')).toEqual({ loaded: [], hiddenTurns: [] });
    });

    it('keeps names in load order, each once, and turns in their order', async () => {
      const { store } = await create();
      await store.add('k', { loaded: ['b', 'a'], hiddenTurns: [hiddenTurn('1')] });
      await store.add('k', { loaded: ['a', 'c', 'b'], hiddenTurns: [hiddenTurn('2')] });
      expect(await store.read('k')).toEqual({
        loaded: ['b', 'a', 'c'],
        hiddenTurns: [hiddenTurn('1'), hiddenTurn('2')],
      });
    });

    it('keeps a turn once that a client has asked for again', async () => {
      const { store } = await create();
      const spoken = {
        ...hiddenTurn('1'),
        before: ['{"role":"user","content":"ünïcödé 🛠\\n"}'],
        results: ['r'],
      };
      await store.add('k', { loaded: [], hiddenTurns: [spoken] });
      await store.add('k', { loaded: [], hiddenTurns: [{ ...spoken }, hiddenTurn('2')] });
      await store.add('k', { loaded: [], hiddenTurns: [{ ...spoken, results: ['another'] }] });
      expect((await store.read('k')).hiddenTurns).toEqual([
        spoken,
        hiddenTurn('2'),
        { ...spoken, results: ['another'] },
      ]);
    });

    it('keeps the additions of exchanges that run at the same time', async () => {
      const { store } = await create();
      const names = Array.from({ length: 20 }, (_, number) => `tool_${number}`);
      await Promise.all(names.map((loaded) => store.add('k', { loaded: [loaded], hiddenTurns: [] })));
      expect([...(await store.read('k')).loaded].sort()).toEqual([...names].sort());
    });

    it('keeps the turns of exchanges that run at the same time, each whole', async () => {
      const { store } = await create();
      const turns = Array.from({ length: 20 }, (_, number) => hiddenTurn(`turn ${number}`));
      await Promise.all(turns.map((turn) => store.add('k', { loaded: [], hiddenTurns: [turn] })));
      const { hiddenTurns } = await store.read('k');
      expect([...hiddenTurns].sort(byMark)).toEqual([...turns].sort(byMark));
    });

    it('keeps sessions apart', async () => {
      const { store } = await create();
      await store.add('one', { loaded: ['a'], hiddenTurns: [] });
      expect((await store.read('two')).loaded).toEqual([]);
    });

    it('never changes what it gave out', async () => {
      const { store } = await create();
      await store.add('k', { loaded: ['a'], hiddenTurns: [] });
      const before = await store.read('k');
      await store.add('k', { loaded: ['b'], hiddenTurns: [hiddenTurn('1')] });
      expect(before).toEqual({ loaded: ['a'], hiddenTurns: [] });
    });

    it('forgets a session that was not used for the time to live', async () => {
      const { store, advance } = await create();
      await store.add('k', { loaded: ['a'], hiddenTurns: [] });
      await advance(CONTRACT_TTL_MS);
      expect((await store.read('k')).loaded).toEqual([]);
      await store.add('k', { loaded: ['b'], hiddenTurns: [] });
      expect((await store.read('k')).loaded).toEqual(['b']);
    });

    it('counts reading as use', async () => {
      const { store, advance } = await create();
      await store.add('k', { loaded: ['a'], hiddenTurns: [] });
      await advance(NEARLY_TTL_MS);
      await store.read('k');
      await advance(NEARLY_TTL_MS);
      expect((await store.read('k')).loaded).toEqual(['a']);
    });
  });
}

const byMark = (one: HiddenTurn, other: HiddenTurn) => one.message.localeCompare(other.message);
