import { readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { createSqliteStore, makeEpoch, type RegistryStore } from '../src/index.ts';
import { StoreError } from '../src/stores/store.ts';
import { killWriters } from './kill-writers.ts';
import { countingIds, expectOk, makeRegistry, registration } from './make-registry.ts';
import { change, describeStore, storedTool, write } from './store-contract.ts';

/** A folder that is gone when the test ends. */
async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'winnow-registry-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

const ids = countingIds();

/** The store of a file; it is closed when the test ends. */
async function openFile(file: string, program?: URL): Promise<RegistryStore> {
  const store = await createSqliteStore({
    file,
    makeEpoch: () => makeEpoch(ids),
    ...(program && { program }),
  });
  onTestFinished(() => store.close());
  return store;
}

describeStore('SQLite', async () => {
  const file = join(await makeFolder(), 'registry.sqlite');
  return { isDurable: true, open: () => openFile(file) };
});

describe('the file of the SQLite store', () => {
  test('R37: is made with its folder, for its owner only', async () => {
    const file = join(await makeFolder(), 'data', 'deep', 'registry.sqlite');
    await openFile(file);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test('R37: stops the start when it is damaged, with its name and what to do', async () => {
    const file = join(await makeFolder(), 'registry.sqlite');
    const store = await openFile(file);
    const scope = await store.openScope('one');
    for (let n = 0; n < 50; n++)
      await write(scope, (version) => change(version, [storedTool(`t${n}`, 'x'.repeat(900))]));
    await store.close();
    const whole = readFileSync(file);

    const damages: [string, () => void][] = [
      [
        'no database at all',
        () => writeFileSync(file, 'this is no database, but a text of some length'.repeat(20)),
      ],
      ['pages overwritten', () => writeFileSync(file, Buffer.from(whole).fill(0x5a, 8_192, 40_000))],
      ['cut off', () => truncateSync(file, whole.length - 20_000)],
    ];
    for (const [, damage] of damages) {
      rmSync(`${file}-wal`, { force: true });
      writeFileSync(file, whole);
      damage();
      const opening = openFile(file);
      await expect(opening).rejects.toThrow(StoreError);
      await expect(opening).rejects.toMatchObject({
        code: 'damaged',
        message: expect.stringContaining(`${file} is damaged: `),
      });
    }
    writeFileSync(file, whole);
    expect((await (await (await openFile(file)).openScope('one')).load()).tools.length).toBe(50);
  });

  test('R37: belongs to one process', async () => {
    const file = join(await makeFolder(), 'registry.sqlite');
    await openFile(file);
    await expect(openFile(file)).rejects.toMatchObject({ code: 'in_use' });
  });

  test('R37: of a later version is refused', async () => {
    const file = join(await makeFolder(), 'registry.sqlite');
    await (await openFile(file)).close();
    const bytes = readFileSync(file);
    // The user version stands at offset 60: https://www.sqlite.org/fileformat.html#user_version_number
    bytes.writeUInt32BE(2, 60);
    writeFileSync(file, bytes);
    await expect(openFile(file)).rejects.toMatchObject({ code: 'too_new' });
  });

  test('R37: that cannot be made is said', async () => {
    const folder = await makeFolder();
    await expect(openFile(folder)).rejects.toMatchObject({ code: 'unreachable' });
  });

  test('R37: on a full disk refuses the change, keeps all there was, and continues when there is room', async () => {
    const file = join(await makeFolder(), 'registry.sqlite');
    const store = await openFile(file, new URL('./small-disk-thread.ts', import.meta.url));
    const registry = await makeRegistry({ store });
    const large = (name: string) => registration(name, { tool: { description: 'x'.repeat(50_000) } });
    let fitting = 0;
    for (;;) {
      const outcome = await registry.register([large(`t${fitting}`)]);
      if (!outcome.ok) {
        expect(outcome.code).toBe('storage_full');
        break;
      }
      fitting++;
    }
    expect(fitting).toBeGreaterThan(0);
    expect(registry.version).toBe(fitting);
    expect(expectOk(await registry.list({}, { pageSize: 100 })).rows.length).toBe(fitting);
    // The refused change left nothing behind, and room that is made can be used.
    expectOk(await registry.unregister('t0'));
    expectOk(await registry.register([large('again')]));
    expect(registry.version).toBe(fitting + 2);
  });

  test('R37: changes that were confirmed are there when the registry is opened again', async () => {
    const file = join(await makeFolder(), 'registry.sqlite');
    const first = await openFile(file);
    const registry = await makeRegistry({ store: first });
    await registry.register([registration('a'), registration('b', { namespace: 'n', tags: ['t'] })]);
    await registry.unregister('a');
    const [stats, detail] = [await registry.stats(), await registry.get('n:b')];
    await first.close();
    const again = await makeRegistry({ store: await openFile(file) });
    expect(await again.get('n:b')).toEqual(detail);
    expect(await again.stats()).toMatchObject({ version: 2, epoch: stats.epoch, indexHash: stats.indexHash });
    expect(expectOk(await again.search('handles b')).tools.map((tool) => tool.id)).toEqual(['n:b']);
    const place = { version: 1, index: Number.POSITIVE_INFINITY };
    expect(expectOk(again.changesSince(place)).events).toMatchObject([{ type: 'tool_removed', id: 'a' }]);
  });

  test('R38: a cursor of a list continues after a restart', async () => {
    const file = join(await makeFolder(), 'registry.sqlite');
    const first = await openFile(file);
    const registry = await makeRegistry({ store: first });
    await registry.register([registration('a'), registration('b')]);
    const { nextCursor = '' } = expectOk(await registry.list({}, { pageSize: 1 }));
    await first.close();
    const again = await makeRegistry({ store: await openFile(file) });
    expect(expectOk(await again.list({}, { cursor: nextCursor })).rows.map((row) => row.id)).toEqual(['b']);
  });

  test('R37: killed in the middle of batches, has all of a batch or nothing, and everything that was confirmed', async () => {
    const place = join(await makeFolder(), 'registry.sqlite');
    expect(
      await killWriters({
        kind: 'sqlite',
        place,
        open: () => openFile(place),
        rounds: inject('isExhaustive') ? 8 : 4,
      }),
    ).toEqual([]);
  }, 120_000);
});
