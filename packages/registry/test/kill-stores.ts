import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startPostgres } from '@winnow/testkit';
import { createPostgresStore, createSqliteStore, makeEpoch } from '../src/index.ts';
import { killWriters } from './kill-writers.ts';
import { countingIds } from './make-registry.ts';

/**
 * `npm run kill:registry -- --rounds 100`: kills writers in the middle of their batches as often as is said, over SQLite and over Postgres, and
 * tells everything that was half done or lost. The tests do the same in a few rounds.
 */
async function main(rounds: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'winnow-kill-'));
  const server = await startPostgres();
  const newEpoch = { makeEpoch: () => makeEpoch(countingIds()) };
  const file = join(folder, 'registry.sqlite');
  try {
    for (const killing of [
      { kind: 'sqlite', place: file, open: () => createSqliteStore({ file, ...newEpoch }) },
      {
        kind: 'postgres',
        place: server.url,
        open: () => createPostgresStore({ url: server.url, ...newEpoch }),
      },
    ] as const) {
      const faults = await killWriters({ ...killing, rounds });
      console.log(`${killing.kind}: ${rounds} kills, ${faults.length} faults`);
      for (const fault of faults) console.log(`  ${fault}`);
      if (faults.length > 0) process.exitCode = 1;
    }
  } finally {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '100' } } });
await main(Number(values.rounds));
