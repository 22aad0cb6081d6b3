import { createRandom } from '@winnow/testkit';
import { describe, expect, test } from 'vitest';
import type { Change } from '../src/changes/change-history.ts';
import type { ChangeEvent, RegistryStore } from '../src/index.ts';
import type { StoredTool } from '../src/model/tool.ts';
import { createStoredTool } from '../src/model/tool.ts';
import type { ScopeStore } from '../src/stores/store.ts';

/** A store under test, and how to open it again after it was closed. */
export interface StoreUnderTest {
  open(): Promise<RegistryStore>;
  /** Whether what was written is there when it is opened again. */
  readonly isDurable: boolean;
}

/** A tool with everything in it that a store might lose. */
export function storedTool(name: string, text = ''): StoredTool {
  return createStoredTool({
    namespace: name.length % 2 === 0 ? '' : 'space',
    tool: {
      name,
      title: `T ${text}`,
      description: `é\u0000\u2028"\\ 🎟️ ${text}`,
      inputSchema: JSON.parse('{"type":"object","__proto__":{"a":[1.5,1e21,null]},"10":1,"9":2}'),
      annotations: { readOnlyHint: true, 'a/b': [null, { '\u0000': '' }] },
      _meta: { later: {} },
    },
    tags: ['b', 'a'],
    version: text === '' ? undefined : text,
    backends: [
      { kind: 'mcp', server: "it's" },
      { kind: 'provider', provider: 'a:b', tool: '\u0000' },
    ],
    examples: [{ title: 'One', arguments: { q: ['\u0000'] }, resultHint: 'x' }],
  });
}

/** A change that puts tools in and takes others out. */
export function change(
  version: number,
  upserts: readonly StoredTool[],
  removals: readonly string[] = [],
): Change {
  const event: ChangeEvent = { type: 'tool_registered', id: 'x', version, index: 0, at: version };
  return { version, at: version, upserts, removals, events: [event] };
}

/** Writes changes behind whatever is there. */
export async function write(scope: ScopeStore, make: (version: number) => Change | undefined): Promise<void> {
  const outcome = await scope.transact(async (base) => {
    const made = make(base.version + 1);
    const known = await base.read([
      ...(made?.upserts.map((tool) => tool.id) ?? []),
      ...(made?.removals ?? []),
    ]);
    const added = made?.upserts.filter((tool) => !known.has(tool.id)).length ?? 0;
    const removed = made?.removals.filter((id) => known.has(id)).length ?? 0;
    return { changes: made ? [made] : [], toolCount: base.toolCount + added - removed, keepFrom: 0 };
  });
  expect(outcome).toEqual({ ok: true });
}

const byId = (tools: readonly StoredTool[]) =>
  [...tools].sort((left, right) => (left.id < right.id ? -1 : 1));

/** The behaviour of every store. */
export function describeStore(name: string, makeStore: () => Promise<StoreUnderTest>): void {
  describe(`the store in ${name}`, () => {
    test('R37: a new scope is empty, with an epoch of its own', async () => {
      const store = await (await makeStore()).open();
      const [one, other] = [await store.openScope('one'), await store.openScope('other')];
      expect(await one.load()).toEqual({ version: 0, tools: [], history: [] });
      expect(one.epoch.id).not.toBe(other.epoch.id);
      expect(one.epoch.key).toMatch(/^[0-9a-f]{64}$/);
      expect((await store.openScope('one')).epoch).toEqual(one.epoch);
    });

    test('R37: tools are read back equal in every field', async () => {
      const store = await (await makeStore()).open();
      const scope = await store.openScope('one');
      const tools = ['a', 'bb', 'ccc'].map((each) => storedTool(each, each));
      await write(scope, (version) => change(version, tools));
      const content = await scope.load();
      expect(content.version).toBe(1);
      expect(byId(content.tools)).toEqual(byId(tools));
      expect(content.tools.map((tool) => tool.definition).sort()).toEqual(
        tools.map((tool) => tool.definition).sort(),
      );
    });

    test('R37: what work reads is the newest content', async () => {
      const store = await (await makeStore()).open();
      const scope = await store.openScope('one');
      await write(scope, (version) => change(version, [storedTool('a'), storedTool('bb')]));
      await write(scope, (version) => change(version, [storedTool('a', 'new')], ['bb']));
      await scope.transact(async (base) => {
        expect([base.version, base.toolCount]).toEqual([2, 1]);
        const read = await base.read(['space:a', 'bb', 'no such']);
        expect([...read.keys()]).toEqual(['space:a']);
        expect(read.get('space:a')).toEqual(storedTool('a', 'new'));
        return { changes: [], toolCount: 1, keepFrom: 0 };
      });
      expect((await scope.load()).version).toBe(2);
    });

    test('R37: transactions of a scope run one after the other', async () => {
      const store = await (await makeStore()).open();
      const scope = await store.openScope('one');
      await Promise.all(
        Array.from({ length: 40 }, (_, n) =>
          write(scope, (version) => change(version, [storedTool(`t${n}`, String(version))])),
        ),
      );
      const { version, tools } = await scope.load();
      expect(version).toBe(40);
      expect(tools.map((tool) => Number(tool.version)).sort((a, b) => a - b)).toEqual(
        Array.from({ length: 40 }, (_, n) => n + 1),
      );
    });

    test('R37: work that throws writes nothing, and the next one continues', async () => {
      const store = await (await makeStore()).open();
      const scope = await store.openScope('one');
      const defect = new Error('a defect of the plan');
      await expect(
        scope.transact(async () => {
          throw defect;
        }),
      ).rejects.toBe(defect);
      await write(scope, (version) => change(version, [storedTool('a')]));
      expect((await scope.load()).version).toBe(1);
    });

    test('R37: several changes of one transaction are all there', async () => {
      const store = await (await makeStore()).open();
      const scope = await store.openScope('one');
      await scope.transact(async () => ({
        changes: [
          change(1, [storedTool('a'), storedTool('bb')]),
          change(2, [storedTool('a', '2')], ['bb']),
          change(3, [storedTool('dddd')]),
        ],
        toolCount: 2,
        keepFrom: 0,
      }));
      const { tools, history, version } = await scope.load();
      expect(version).toBe(3);
      expect(byId(tools)).toEqual([storedTool('dddd'), storedTool('a', '2')]);
      expect(history.map((entry) => [entry.version, entry.at, entry.events.length])).toEqual([
        [1, 1, 1],
        [2, 2, 1],
        [3, 3, 1],
      ]);
    });

    test('R37: history is kept from where it is said', async () => {
      const store = await (await makeStore()).open();
      const scope = await store.openScope('one');
      for (let version = 1; version <= 5; version++) {
        await scope.transact(async () => ({
          changes: [change(version, [storedTool('a', String(version))])],
          toolCount: 1,
          keepFrom: version - 1,
        }));
      }
      const { history } = await scope.load();
      expect(history.map((entry) => entry.version)).toEqual([4, 5]);
      expect(history[1]!.events).toEqual([{ type: 'tool_registered', id: 'x', version: 5, index: 0, at: 5 }]);
    });

    test('R37: agrees with a plain map after any changes', async () => {
      const random = createRandom(37);
      const store = await (await makeStore()).open();
      const scope = await store.openScope('one');
      const model = new Map<string, StoredTool>();
      for (let step = 0; step < 100; step++) {
        const names = random.sample(['a', 'bb', 'ccc', 'dddd', 'eeeee'], random.between(1, 4));
        const upserts = names.slice(1).map((name) => storedTool(name, String(step)));
        const removals = names.slice(0, 1).map((name) => storedTool(name).id);
        await write(scope, (version) => change(version, upserts, removals));
        for (const tool of upserts) model.set(tool.id, tool);
        for (const id of removals) model.delete(id);
      }
      expect(byId((await scope.load()).tools)).toEqual(byId([...model.values()]));
      await scope.transact(async (base) => {
        expect(base.toolCount).toBe(model.size);
        return { changes: [], toolCount: model.size, keepFrom: 0 };
      });
    });

    test('R37: scopes know nothing of one another', async () => {
      const store = await (await makeStore()).open();
      const [one, other] = [await store.openScope('one'), await store.openScope('other')];
      await write(one, (version) => change(version, [storedTool('a'), storedTool('bb')]));
      await one.countCalls('2026-11-21', new Map([['a', 1]]));
      await one.writeNote('n', 'x');
      expect(await other.load()).toEqual({ version: 0, tools: [], history: [] });
      expect(await other.callsBetween('2026-01-01', '2027-01-01')).toEqual(new Map());
      expect(await other.readNote('n')).toBeUndefined();
      await write(other, (version) => change(version, [], ['bb']));
      expect((await one.load()).tools.length).toBe(2);
    });

    test('R43: calls are counted by day, and added up over days', async () => {
      const store = await (await makeStore()).open();
      const scope = await store.openScope('one');
      await scope.countCalls('2026-11-20', new Map([['a', 2]]));
      await scope.countCalls(
        '2026-11-21',
        new Map([
          ['a', 3],
          ['b', 1],
        ]),
      );
      await scope.countCalls('2026-11-21', new Map([['a', 4]]));
      expect(await scope.callsBetween('2026-11-20', '2026-11-21')).toEqual(
        new Map([
          ['a', 9],
          ['b', 1],
        ]),
      );
      expect(await scope.callsBetween('2026-11-20', '2026-11-20')).toEqual(new Map([['a', 2]]));
      expect(await scope.callsBetween('2026-11-22', '2026-11-30')).toEqual(new Map());
    });

    test('R43: notes are read as they were last written', async () => {
      const store = await (await makeStore()).open();
      const scope = await store.openScope('one');
      expect(await scope.readNote('hot')).toBeUndefined();
      await scope.writeNote('hot', 'first');
      await scope.writeNote('hot', '{"é":"🎟️"}');
      expect(await scope.readNote('hot')).toBe('{"é":"🎟️"}');
    });

    test('R38: content and epoch are there when a durable store is opened again, and no other does so', async () => {
      const under = await makeStore();
      const first = await under.open();
      const scope = await first.openScope('one');
      await write(scope, (version) => change(version, [storedTool('a')]));
      await scope.countCalls('2026-11-21', new Map([['a', 3]]));
      await scope.writeNote('n', 'x');
      const before = await scope.load();
      await first.close();
      const again = await (await under.open()).openScope('one');
      if (!under.isDurable) {
        expect(again.epoch).not.toEqual(scope.epoch);
        expect((await again.load()).version).toBe(0);
        return;
      }
      expect(again.epoch).toEqual(scope.epoch);
      expect(await again.load()).toEqual(before);
      expect(await again.readNote('n')).toBe('x');
      expect(await again.callsBetween('2026-11-21', '2026-11-21')).toEqual(new Map([['a', 3]]));
    });
  });
}
