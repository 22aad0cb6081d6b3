import { describe, expect, test } from 'vitest';
import { createRegistry, type McpTool } from '../src/index.ts';
import { canonicalJson, isSameJson } from '../src/model/json.ts';
import { countingIds, expectOk } from './make-registry.ts';

/** A definition of about so many characters. */
const tool = (name: string, chars: number): McpTool => ({
  name,
  description: 'x'.repeat(chars),
  inputSchema: { type: 'object' },
});
const LIST = { server: 'big', namespace: 'big', tags: [], trustsAnnotations: false } as const;

/** A registry that counts how often it lets others go first. */
async function open() {
  const counted = { pauses: 0 };
  const registry = await createRegistry({
    clock: { now: () => 0, wallClock: () => 0 },
    randomId: countingIds(),
    pause: async () => void counted.pauses++,
  });
  return { registry, counted };
}

describe('a large list of a server', () => {
  test.each([
    ['of large definitions', Array.from({ length: 12 }, (_, n) => tool(`t${n}`, 200_000)), 6],
    ['of many definitions', Array.from({ length: 600 }, (_, n) => tool(`t${n}`, 10)), 12],
    [
      'of definitions that are refused for their size',
      Array.from({ length: 5 }, (_, n) => tool(`t${n}`, 2 ** 19)),
      5,
    ],
  ])('%s is prepared in slices', async (_, tools, slices) => {
    const { registry, counted } = await open();
    const taking = registry.registerFromMcp({ ...LIST, tools });
    const refused = expectOk(await taking).leftOut.length;
    expect(refused === 0 || refused === tools.length).toBe(true);
    expect(counted.pauses).toBeGreaterThanOrEqual(slices);
  });

  test('is planned on what is there when it is prepared, not on what was there before', async () => {
    let meanwhile = async () => {};
    const registry = await createRegistry({
      clock: { now: () => 0, wallClock: () => 0 },
      randomId: countingIds(),
      pause: () => meanwhile(),
    });
    const tools = Array.from({ length: 60 }, (_, n) => tool(`t${n}`, 10));
    expectOk(await registry.registerFromMcp({ ...LIST, tools }));
    meanwhile = async () => {
      meanwhile = async () => {};
      expectOk(await registry.unregister('big:t7'));
    };
    const again = expectOk(await registry.registerFromMcp({ ...LIST, tools }));
    expect(again).toMatchObject({ registered: 1, updated: 0, unchanged: 59, removed: 0 });
    expect(registry.idsOfServer('big')).toHaveLength(60);
  });
});

describe('equal JSON', () => {
  const values: unknown[] = [
    ...[null, undefined, true, false, 0, -0, 1, '1', '', 'a'],
    ...[[], [null], [undefined], [1, 2], [2, 1], {}, { a: undefined }, { a: null }, { a: null, b: 1 }],
    ...[{ a: undefined, b: 1, c: 2 }, { b: 1, a: null }, { b: 1, c: 2 }, { a: { b: [1, { c: 2 }] } }],
    ...[{ a: { b: [1, { c: 3 }] } }, { a: { b: [1, { c: 2 }] }, d: undefined }, [{}], { 0: 1 }, [1]],
    ...[JSON.parse('{"__proto__":1}'), JSON.parse('{"toString":1}'), JSON.parse('{"__proto__":null}')],
  ];

  test('is told as by its one spelling, of every two values', () => {
    for (const left of values) {
      for (const right of values) {
        const label = `${canonicalJson(left)} and ${canonicalJson(right)}`;
        expect([label, isSameJson(left, right)]).toEqual([
          label,
          canonicalJson(left) === canonicalJson(right),
        ]);
      }
    }
  });
});
