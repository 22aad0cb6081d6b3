import { describe, expect, it } from 'vitest';
import type { Note, SessionStore } from '../src/sessions/session-store.ts';

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

/** Where the suite's notes are. */
export const PLACE = { tenant: 'k', session: 's' };

/** A note under a key of this name. */
export function note(key: string, value = `value of ${key}`, ifTaken: Note['ifTaken'] = 'keep'): Note {
  return { key, value, ifTaken };
}

/** What every session store must do. */
export function describeSessionStore(
  name: string,
  create: () => StoreUnderTest | Promise<StoreUnderTest>,
): void {
  describe(`${name} as a session store`, () => {
    it('gives what there is of the keys that it is asked for, and no more', async () => {
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

    it('gives a tenant what any of its sessions has added', async () => {
      const { store } = await create();
      await store.add(PLACE, [note('a')]);
      await store.add({ ...PLACE, session: 'another' }, [note('b')]);
      expect((await store.read('k', ['a', 'b'])).size).toBe(2);
    });

    it.each([
      ['keeps the first value', 'keep', 'first'],
      ['takes the second value', 'replace', 'second'],
      ['forgets both values', 'forget', undefined],
    ] as const)('%s where a note says %s', async (_, ifTaken, expected) => {
      const { store } = await create();
      await store.add(PLACE, [note('a', 'first', ifTaken)]);
      await store.add(PLACE, [note('a', 'second', ifTaken)]);
      await expect.poll(async () => (await store.read('k', ['a'])).get('a')).toBe(expected);
    });

    it('takes what a client asks for twice for one, and never again what it has forgotten', async () => {
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

    it('keeps the additions of exchanges that run at the same time', async () => {
      const { store } = await create();
      const keys = Array.from({ length: 20 }, (_, number) => `note ${number}`);
      await Promise.all(keys.map((key) => store.add(PLACE, [note(key)])));
      expect((await store.read('k', keys)).size).toBe(20);
    });

    it('forgets a note that was not used for the time to live', async () => {
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
      // Some stores take notice of the use while nobody waits.
      await store.read('k', ['a']);
      await advance(NEARLY_TTL_MS);
      expect((await store.read('k', ['a'])).size).toBe(1);
    });
  });
}
