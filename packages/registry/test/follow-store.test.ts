import { expect, test } from 'vitest';
import { createMemoryStore, makeEpoch, type RegistryStore } from '../src/index.ts';
import type { CatchUp, HistoryEntry, ScopeStore } from '../src/stores/store.ts';
import { countingIds, expectOk, makeRegistry, registration } from './make-registry.ts';

/** What was changed behind a version. */
async function readChanges(scope: ScopeStore, version: number): Promise<CatchUp> {
  const { version: newest, tools, history } = await scope.load();
  const news = history.filter((entry: HistoryEntry) => entry.version > version);
  return { version: newest, history: news, upserts: tools, removals: [] };
}

/** A store whose scopes others change too; what `shared` reads is told only when `told` resolves. */
function shareStore(store: RegistryStore, told: () => Promise<void>): RegistryStore {
  return {
    ...store,
    async openScope(name) {
      const scope = await store.openScope(name);
      return {
        ...scope,
        shared: {
          async changesSince(version) {
            const changes = await readChanges(scope, version);
            await told();
            return changes;
          },
          onNews: () => () => {},
        },
      };
    },
  };
}

test('R39: news that come while older ones are being read are not lost', async () => {
  const ids = countingIds();
  const store = createMemoryStore({ makeEpoch: () => makeEpoch(ids) });
  const writer = await makeRegistry({ store });
  const gates: (() => void)[] = [];
  const follower = await makeRegistry({
    store: shareStore(store, () => new Promise((resolve) => gates.push(resolve))),
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
