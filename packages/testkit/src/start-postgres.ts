import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { chownSync, globSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

/** A real Postgres on a free port of 127.0.0.1, with one database and its own folder. */
export interface PostgresServer {
  /** Address of a database that is empty at first. */
  readonly url: string;
  /** The folder of its files, deleted when the server is closed. */
  readonly folder: string;
  /** Kills the server, as the loss of a machine would. */
  kill(): Promise<void>;
  /** Starts it again, with everything that it had confirmed. */
  start(): Promise<void>;
  /** Ends it and deletes its files. */
  close(): Promise<void>;
}

const run = promisify(execFile);

/** Debian keeps each version's programs in a folder outside the PATH. */
const DEBIAN_PROGRAMS = '/usr/lib/postgresql/*/bin/initdb';

/**
 * Uid of Debian's unprivileged user (65534). The server refuses to run as root, so this user runs it if this
 * process is root.
 */
const NOBODY = 65_534;

/** Interval between checks whether the server is ready, in milliseconds. */
const ASK_EVERY_MS = 20;

/** Number of ports to try. */
const MOST_TRIES = 5;

/**
 * Starts a server and waits until it responds. It ends with this process at the latest.
 *
 * Throws an error that names the Debian package if `initdb` is missing.
 */
export async function startPostgres(): Promise<PostgresServer> {
  const bin = findPrograms();
  const isRoot = process.getuid?.() === 0;
  // A test run may have a temporary folder of its own, which no other user may enter.
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
        // Another process may have taken the port in the meantime.
        if (tries === MOST_TRIES) throw error;
      }
    }
  } catch (error) {
    await close();
    throw error;
  }
  return { url: `postgres://winnow@127.0.0.1:${port}/postgres`, folder, kill, start, close };
}

/** Running servers and their folders, so that a test that ends early leaves none behind. */
const running = new Set<ChildProcess>();
const folders = new Set<string>();
process.once('exit', () => {
  for (const server of running) server.kill('SIGQUIT');
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/**
 * SIGQUIT ends the server with all of its children at once, without further writes. SIGKILL would leave the
 * children running for a while.
 */
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
    // Each check starts a process.
    await new Promise((resolve) => setTimeout(resolve, ASK_EVERY_MS));
  }
  throw new Error(`postgres ended with ${server.exitCode}.`);
}

function findPrograms(): string {
  const [onPath] = spawnSync('sh', ['-c', 'command -v initdb'], { encoding: 'utf8' }).stdout.split('\n');
  // Debian's newest version.
  const found = onPath || globSync(DEBIAN_PROGRAMS).sort().at(-1);
  if (!found) throw new Error('There is no initdb here: apt-get install postgresql');
  // Some programs may be linked from other places; the link's target folder has all of them.
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
