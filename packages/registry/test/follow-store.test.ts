import { expect, test } from 'vitest';
import type { HistoryEntry } from '../src/changes/change-history.ts';
import { createMemoryStore, makeEpoch, type RegistryStore } from '../src/index.ts';
import type { CatchUp, ScopeStore } from '../src/stores/store.ts';
import { countingIds, expectOk, makeRegistry, registration } from './make-registry.ts';

/** The changes after a version. */
async function readChanges(scope: ScopeStore, version: number): Promise<CatchUp> {
  const { version: newest, tools, history } = await scope.load();
  const news = history.filter((entry: HistoryEntry) => entry.version > version);
  return { version: newest, history: news, upserts: tools, removals: [] };
}

/** The changes after a version as a store tells them; undefined when there are too many. */
type ReadChanges = (scope: ScopeStore, version: number) => Promise<CatchUp | undefined>;

/** A store whose scopes others change too. */
function shareStore(
  store: RegistryStore,
  read: ReadChanges,
  load = (scope: ScopeStore) => scope.load(),
): RegistryStore {
  return {
    ...store,
    async openScope(name) {
      const scope = await store.openScope(name);
      let isOpen = false;
      return {
        ...scope,
        // What is read when the scope is opened is no matter here.
        load: () => (isOpen ? load(scope) : scope.load().finally(() => (isOpen = true))),
        shared: { changesSince: (version) => read(scope, version), onNews: () => () => {} },
      };
    },
  };
}

/** Two registries over one store; what the second one is told of, as type, id and version. */
async function writerAndFollower(
  read: ReadChanges,
  load?: (scope: ScopeStore) => ReturnType<ScopeStore['load']>,
) {
  const ids = countingIds();
  const store = createMemoryStore({ makeEpoch: () => makeEpoch(ids) });
  const writer = await makeRegistry({ store });
  const follower = await makeRegistry({ store: shareStore(store, read, load) });
  const heard: unknown[] = [];
  follower.onChange(({ type, id, version }) => heard.push([type, id, version]));
  const kept = () =>
    expectOk(follower.changesSince({ version: 0, index: Number.POSITIVE_INFINITY })).events.map(
      ({ id }) => id,
    );
  return { writer, follower, heard, kept };
}

/** A gate, and how to open it. */
function makeGate() {
  let open = () => {};
  const passed = new Promise<void>((resolve) => (open = resolve));
  return { passed, open };
}

test('R39: news that come while older ones are being read are not lost', async () => {
  const gates: (() => void)[] = [];
  const { writer, follower } = await writerAndFollower(async (scope, version) => {
    const changes = await readChanges(scope, version);
    await new Promise<void>((resolve) => gates.push(resolve));
    return changes;
  });
  const caughtUp = follower.catchUp();
  while (gates.length === 0) await Promise.resolve();
  expectOk(await writer.register([registration('late')]));
  const caughtUpAgain = follower.catchUp();
  gates.shift()!();
  const release = setImmediate(() => gates.shift()?.());
  await Promise.all([caughtUp, caughtUpAgain]);
  clearImmediate(release);
  expect(follower.version).toBe(1);
  expect(await follower.get('late')).toBeDefined();
});

test('R33: a change after those of others is announced after theirs, and once', async () => {
  const { writer, follower, heard, kept } = await writerAndFollower(readChanges);
  expectOk(await writer.register([registration('theirs')]));
  expect(await follower.register([registration('ours')])).toMatchObject({ version: 2 });
  expect(heard).toEqual([
    ['tool_registered', 'theirs', 1],
    ['tool_registered', 'ours', 2],
  ]);
  expect(kept()).toEqual(['theirs', 'ours']);
});

test('R33: a change of our own that is seen while news are being read is reported once', async () => {
  const gate = makeGate();
  const { follower, heard, kept } = await writerAndFollower(async (scope, version) => {
    await gate.passed;
    return readChanges(scope, version);
  });
  const caughtUp = follower.catchUp();
  expectOk(await follower.register([registration('ours')]));
  gate.open();
  await caughtUp;
  expect(heard).toEqual([['tool_registered', 'ours', 1]]);
  expect(kept()).toEqual(['ours']);
});

test('R39: a follower that is too far behind reads everything again, and says so', async () => {
  const { writer, follower, heard, kept } = await writerAndFollower(async (scope, version) =>
    version < (await scope.load()).version ? undefined : readChanges(scope, version),
  );
  expectOk(await writer.register([registration('old'), registration('lasting')]));
  await follower.catchUp();
  expectOk(await writer.unregister('old'));
  expectOk(await writer.register([registration('late')]));
  await follower.catchUp();
  expect(heard.at(-1)).toEqual(['refreshed', undefined, 3]);
  expect(await follower.get('old')).toBeUndefined();
  expect([await follower.get('lasting'), await follower.get('late')]).not.toContain(undefined);
  expect(kept()).toEqual(['old', 'lasting', 'old', 'late']);
});

test('R33: our own change that is seen while everything is read again is announced once', async () => {
  const gate = makeGate();
  const { follower, heard, kept } = await writerAndFollower(
    async (scope, version) => (version === 0 ? undefined : readChanges(scope, version)),
    async (scope) => {
      await gate.passed;
      return scope.load();
    },
  );
  const caughtUp = follower.catchUp();
  expectOk(await follower.register([registration('ours')]));
  gate.open();
  await caughtUp;
  expect(heard).toEqual([['tool_registered', 'ours', 1]]);
  expect(kept()).toEqual(['ours']);
});
