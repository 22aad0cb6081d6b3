import type { HiddenTurn } from '@winnow/wire';
import { describe, expect, it } from 'vitest';
import type { SessionStore } from '../src/sessions/session-store.ts';

/** A store under test, with a clock that the test moves. */
export interface StoreUnderTest {
  readonly store: SessionStore;
  /** Lets so many milliseconds go by. */
  readonly advance: (ms: number) => void;
}

/** The time to live that the suite expects of the stores it is given, in milliseconds. */
export const CONTRACT_TTL_MS = 1_000;

/** A hidden turn that can be told from others by its mark. */
export function hiddenTurn(mark: string): HiddenTurn {
  return { format: 'f', keys: [mark], visible: mark, before: [], message: mark, results: [] };
}

/** What every session store must do. */
export function describeSessionStore(name: string, create: () => StoreUnderTest): void {
  describe(`${name} as a session store`, () => {
    it('gives an empty session for a key that it does not know', async () => {
      expect(await create().store.read('nobody')).toEqual({ loaded: [], hiddenTurns: [] });
    });

    it('keeps names in load order, each once, and turns in their order', async () => {
      const { store } = create();
      await store.add('k', { loaded: ['b', 'a'], hiddenTurns: [hiddenTurn('1')] });
      await store.add('k', { loaded: ['a', 'c', 'b'], hiddenTurns: [hiddenTurn('2')] });
      expect(await store.read('k')).toEqual({
        loaded: ['b', 'a', 'c'],
        hiddenTurns: [hiddenTurn('1'), hiddenTurn('2')],
      });
    });

    it('keeps the additions of exchanges that run at the same time', async () => {
      const { store } = create();
      const names = Array.from({ length: 20 }, (_, number) => `tool_${number}`);
      await Promise.all(names.map((loaded) => store.add('k', { loaded: [loaded], hiddenTurns: [] })));
      expect([...(await store.read('k')).loaded].sort()).toEqual([...names].sort());
    });

    it('keeps sessions apart', async () => {
      const { store } = create();
      await store.add('one', { loaded: ['a'], hiddenTurns: [] });
      expect((await store.read('two')).loaded).toEqual([]);
    });

    it('never changes what it gave out', async () => {
      const { store } = create();
      await store.add('k', { loaded: ['a'], hiddenTurns: [] });
      const before = await store.read('k');
      await store.add('k', { loaded: ['b'], hiddenTurns: [hiddenTurn('1')] });
      expect(before).toEqual({ loaded: ['a'], hiddenTurns: [] });
    });

    it('forgets a session that was not used for the time to live', async () => {
      const { store, advance } = create();
      await store.add('k', { loaded: ['a'], hiddenTurns: [] });
      advance(CONTRACT_TTL_MS);
      expect((await store.read('k')).loaded).toEqual([]);
      await store.add('k', { loaded: ['b'], hiddenTurns: [] });
      expect((await store.read('k')).loaded).toEqual(['b']);
    });

    it('counts reading as use', async () => {
      const { store, advance } = create();
      await store.add('k', { loaded: ['a'], hiddenTurns: [] });
      advance(CONTRACT_TTL_MS - 1);
      await store.read('k');
      advance(CONTRACT_TTL_MS - 1);
      expect((await store.read('k')).loaded).toEqual(['a']);
    });
  });
}
