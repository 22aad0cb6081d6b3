import { createPostgresStore, createRegistry, createSqliteStore, makeEpoch } from '../src/index.ts';
import { countingIds, expectOk, registration } from './make-registry.ts';

/** Tools of one batch: after any number of batches all of them have the number of one. */
export const BATCH_TOOLS = 40;

/**
 * A program that registers batch after batch until it is killed, and says which were confirmed, a line each.
 */
async function main(kind: string, place: string): Promise<void> {
  const newEpoch = () => makeEpoch(countingIds());
  const store =
    kind === 'sqlite'
      ? await createSqliteStore({ file: place, makeEpoch: newEpoch })
      : await createPostgresStore({ url: place, makeEpoch: newEpoch });
  const registry = await createRegistry({
    store,
    clock: { now: () => 0, wallClock: () => 0 },
    randomId: countingIds(),
  });
  for (let number = registry.version + 1; ; number++) {
    const batch = Array.from({ length: BATCH_TOOLS }, (_, n) =>
      registration(`t${n}`, {
        version: String(number),
        tool: { description: `Handles ${'it '.repeat(300)}` },
      }),
    );
    const { version } = expectOk(await registry.register(batch));
    if (version !== number) throw new Error(`batch ${number} has version ${version}`);
    process.stdout.write(`${number}\n`);
  }
}

const [kind, place] = process.argv.slice(2);
if ((kind === 'sqlite' || kind === 'postgres') && place !== undefined) await main(kind, place);
