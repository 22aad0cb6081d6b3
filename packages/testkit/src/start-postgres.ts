import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { chownSync, globSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

/** A real Postgres on a free port of 127.0.0.1, with one database, in a folder of its own. */
export interface PostgresServer {
  /** Of a database that is empty at first. */
  readonly url: string;
  /** Where its files are; gone when it is closed. */
  readonly folder: string;
  /** Ends it at once, as a lost machine would. */
  kill(): Promise<void>;
  /** Starts it again, with everything that it had confirmed. */
  start(): Promise<void>;
  /** Ends it and removes its files. */
  close(): Promise<void>;
}

const run = promisify(execFile);

/** Debian keeps the programs of each version in a folder of its own, out of the PATH. */
const DEBIAN_PROGRAMS = '/usr/lib/postgresql/*/bin/initdb';

/** Whom the server runs as when this process is root, as which it refuses to run: Debian's `nobody`. */
const NOBODY = 65_534;

/** How often the server is asked whether it is ready, in milliseconds. */
const ASK_EVERY_MS = 20;

/** How often another port is tried. */
const MOST_TRIES = 5;

/** How the server is set, beside what every test needs. */
export interface PostgresSettings {
  /** Such as `shared_buffers=512MB`. */
  readonly settings?: readonly string[];
}

/**
 * Starts a server and waits until it answers. It ends with this process at the latest.
 *
 * Throws an error that names the Debian package when there is no `initdb`.
 */
export async function startPostgres({ settings = [] }: PostgresSettings = {}): Promise<PostgresServer> {
  const bin = findPrograms();
  const isRoot = process.getuid?.() === 0;
  // A run of tests may have a temporary folder of its own, which nobody else may enter.
  const folder = mkdtempSync(join(isRoot ? '/tmp' : tmpdir(), 'winnow-postgres-'));
  const user = isRoot ? { uid: NOBODY, gid: NOBODY } : {};
  if (isRoot) chownSync(folder, NOBODY, NOBODY);
  folders.add(folder);
  const data = join(folder, 'data');
  let port = 0;
  const environment = { PATH: '/usr/bin:/bin', LC_ALL: 'C.UTF-8', HOME: folder };
  const options = { ...user, env: environment, cwd: folder };
  let server: ChildProcess | undefined;
  const kill = async () => {
    if (server) await end(server);
    server = undefined;
  };
  const start = async () => {
    server = spawn(
      join(bin, 'postgres'),
      [
        '-D',
        data,
        '-p',
        String(port),
        '-h',
        '127.0.0.1',
        '-k',
        folder,
        '-c',
        'fsync=on',
        '-c',
        'max_connections=60',
        ...settings.flatMap((setting) => ['-c', setting]),
      ],
      { ...options, stdio: 'ignore' },
    );
    running.add(server);
    const mine = server;
    server.once('exit', () => running.delete(mine));
    await untilReady(mine, () =>
      run(join(bin, 'pg_isready'), ['-h', '127.0.0.1', '-p', String(port)], options),
    );
  };
  const close = async () => {
    await kill();
    rmSync(folder, { recursive: true, force: true });
    folders.delete(folder);
  };
  try {
    const access = ['-U', 'winnow', '-A', 'trust', '-E', 'UTF8', '--no-sync', '--no-instructions'];
    await run(join(bin, 'initdb'), ['-D', data, ...access], options);
    for (let tries = 1; ; tries++) {
      port = await freePort();
      try {
        await start();
        break;
      } catch (error) {
        // Between the two, another process may have taken the port.
        if (tries === MOST_TRIES) throw error;
      }
    }
  } catch (error) {
    await close();
    throw error;
  }
  return { url: `postgres://winnow@127.0.0.1:${port}/postgres`, folder, kill, start, close };
}

/** Servers that run and their folders, so that none is left behind by a test that ends early. */
const running = new Set<ChildProcess>();
const folders = new Set<string>();
process.once('exit', () => {
  for (const server of running) server.kill('SIGQUIT');
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** By SIGQUIT it ends with all of its children at once and writes nothing more; killed itself, it would leave them behind for a while. */
async function end(server: ChildProcess): Promise<void> {
  if (!running.has(server)) return;
  const gone = new Promise((resolve) => server.once('exit', resolve));
  server.kill('SIGQUIT');
  await gone;
}

async function untilReady(server: ChildProcess, ask: () => Promise<unknown>): Promise<void> {
  while (running.has(server)) {
    const isReady = await ask().then(
      () => true,
      () => false,
    );
    if (isReady) return;
    // Each question starts a process.
    await new Promise((resolve) => setTimeout(resolve, ASK_EVERY_MS));
  }
  throw new Error(`postgres ended with ${server.exitCode}.`);
}

function findPrograms(): string {
  const [onPath] = spawnSync('sh', ['-c', 'command -v initdb'], { encoding: 'utf8' }).stdout.split('\n');
  // The newest of Debian's.
  const found = onPath || globSync(DEBIAN_PROGRAMS).sort().at(-1);
  if (!found) throw new Error('There is no initdb here: apt-get install postgresql');
  // Links to some of the programs may stand anywhere; all of them are where those lead to.
  return dirname(realpathSync(found));
}

function freePort(): Promise<number> {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
