import { describe, expect, it } from 'vitest';
import type { Note, SessionStore } from '../src/sessions/session-store.ts';

/** A store under test, and the control of its time. */
export interface StoreUnderTest {
  readonly store: SessionStore;
  /** Advances the time of the stored notes in milliseconds. */
  readonly advance: (ms: number) => Promise<void> | void;
}

/** The time to live that the suite expects of its stores, in milliseconds: longer than any test takes. */
export const CONTRACT_TTL_MS = 3_600_000;

/** Shorter than the time to live by more than a test takes. */
const NEARLY_TTL_MS = CONTRACT_TTL_MS - 600_000;

/** The place of the suite's notes. */
export const PLACE = { tenant: 'k', session: 's' };

/** A note under this key. */
export function note(key: string, value = `value of ${key}`, ifTaken: Note['ifTaken'] = 'keep'): Note {
  return { key, value, ifTaken };
}

/** The contract of every session store. */
export function describeSessionStore(
  name: string,
  create: () => StoreUnderTest | Promise<StoreUnderTest>,
): void {
  describe(`${name} as a session store`, () => {
    it('returns the existing notes among the requested keys', async () => {
      const { store } = await create();
      const strange = note('ünïcödé {🛠} \n', '{"role":"user","content":"ünïcödé 🛠\\n"}');
      await store.add(PLACE, [note('a'), note('b'), strange]);
      expect(await store.read('k', ['a', 'unknown', strange.key])).toEqual(
        new Map([
          ['a', 'value of a'],
          [strange.key, strange.value],
        ]),
      );
      expect(await store.read('k', [])).toEqual(new Map());
    });

    it('keeps tenants apart', async () => {
      const { store } = await create();
      await store.add({ tenant: 'one', session: 's' }, [note('a')]);
      expect(await store.read('two', ['a'])).toEqual(new Map());
    });

    it('returns to a tenant the notes of all its sessions', async () => {
      const { store } = await create();
      await store.add(PLACE, [note('a')]);
      await store.add({ ...PLACE, session: 'another' }, [note('b')]);
      expect((await store.read('k', ['a', 'b'])).size).toBe(2);
    });

    it.each([
      ['keeps the first value', 'keep', 'first'],
      ['takes the second value', 'replace', 'second'],
      ['forgets both values', 'forget', undefined],
    ] as const)('%s if a note says %s', async (_, ifTaken, expected) => {
      const { store } = await create();
      await store.add(PLACE, [note('a', 'first', ifTaken)]);
      await store.add(PLACE, [note('a', 'second', ifTaken)]);
      await expect.poll(async () => (await store.read('k', ['a'])).get('a')).toBe(expected);
    });

    it('forgets both values of an ambiguous key, permanently', async () => {
      const { store } = await create();
      const add = (value: string) => store.add(PLACE, [note('a', value, 'forget')]);
      await add('first');
      await add('first');
      expect((await store.read('k', ['a'])).get('a')).toBe('first');
      await add('second');
      await expect.poll(async () => (await store.read('k', ['a'])).size).toBe(0);
      await add('first');
      expect((await store.read('k', ['a'])).size).toBe(0);
    });

    it('keeps concurrent additions', async () => {
      const { store } = await create();
      const keys = Array.from({ length: 20 }, (_, number) => `note ${number}`);
      await Promise.all(keys.map((key) => store.add(PLACE, [note(key)])));
      expect((await store.read('k', keys)).size).toBe(20);
    });

    it('forgets a note that was not used within the time to live', async () => {
      const { store, advance } = await create();
      await store.add(PLACE, [note('a')]);
      await advance(CONTRACT_TTL_MS);
      expect((await store.read('k', ['a'])).size).toBe(0);
      await store.add(PLACE, [note('a', 'anew')]);
      expect((await store.read('k', ['a'])).get('a')).toBe('anew');
    });

    it('counts reading as use', async () => {
      const { store, advance } = await create();
      await store.add(PLACE, [note('a')]);
      await advance(NEARLY_TTL_MS);
      await store.read('k', ['a']);
      // Some stores record the use in the background.
      await store.read('k', ['a']);
      await advance(NEARLY_TTL_MS);
      expect((await store.read('k', ['a'])).size).toBe(1);
    });
  });
}
