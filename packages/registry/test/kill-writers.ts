import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { createRandom } from '@winnow/testkit';
import type { RegistryStore } from '../src/index.ts';
import type { ScopeContent } from '../src/stores/store.ts';
import { BATCH_TOOLS } from './write-batches.ts';

/** A store whose writers are killed. */
export interface Killing {
  readonly kind: 'sqlite' | 'postgres';
  /** The file, or the address. */
  readonly place: string;
  readonly open: () => Promise<RegistryStore>;
  readonly rounds: number;
}

/**
 * Kills a process in the middle of its batches, again and again, and looks at what is there each time. Gives what is wrong: half of a batch,
 * or less than was confirmed. All rounds are over one store, so that each goes on from what the one before has left.
 */
export async function killWriters({ kind, place, open, rounds }: Killing): Promise<readonly string[]> {
  const random = createRandom(9);
  const faults: string[] = [];
  for (let round = 0; round < rounds; round++) {
    const confirmed = await writeUntilKilled(kind, place, {
      batches: random.between(1, 6),
      spins: random.below(3_000),
    });
    const store = await open();
    const content = await (await store.openScope('default')).load();
    await store.close();
    faults.push(...faultsOf(content, confirmed).map((fault) => `round ${round}: ${fault}`));
  }
  return faults;
}

/** When a writer is killed: some turns of the event loop after so many batches were confirmed. */
interface Moment {
  readonly batches: number;
  readonly spins: number;
}

/** The last batch that was confirmed. */
async function writeUntilKilled(kind: string, place: string, { batches, spins }: Moment): Promise<number> {
  const program = fileURLToPath(new URL('./write-batches.ts', import.meta.url));
  const writer: ChildProcess = spawn(process.execPath, [program, kind, place], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(writer, 'exit');
  let [confirmed, seen] = [0, 0];
  const lines = createInterface({ input: writer.stdout! });
  const enough = new Promise<void>((resolve) => {
    lines.on('line', (line) => {
      confirmed = Number(line);
      seen++;
      if (seen === batches) resolve();
    });
  });
  await Promise.race([enough, ended]);
  for (let spin = 0; spin < spins; spin++) await new Promise((resolve) => setImmediate(resolve));
  writer.kill('SIGKILL');
  const [code] = await ended;
  if (code !== null) throw new Error(`the writer ended by itself, with ${code}`);
  return confirmed;
}

function faultsOf({ version, tools, history }: ScopeContent, confirmed: number): readonly string[] {
  const versions = new Set(tools.map((tool) => Number(tool.version)));
  const faults: string[] = [];
  if (tools.length !== BATCH_TOOLS || versions.size !== 1 || !versions.has(version)) {
    faults.push(`half of a batch: ${tools.length} tools of ${[...versions]} at version ${version}`);
  }
  if (version < confirmed) faults.push(`version ${version} of which ${confirmed} was confirmed`);
  if (history.at(-1)?.version !== version)
    faults.push(`the history ends at ${history.at(-1)?.version}, not ${version}`);
  return faults;
}
