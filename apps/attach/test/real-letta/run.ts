import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * `npm run test:letta [-- FOLDER]`: the expectations of a Letta server on the real one. FOLDER has the Python environment, `~/.cache/winnow-letta` when none is named (for root
 * `/var/cache/winnow-letta`); where there is none it is made, which takes some minutes and 900 MB. Says in one line why it does not run where it cannot.
 */

const HERE = import.meta.dirname;
const ROOT = join(HERE, '../../../..');
/** Postgres refuses to run as root, and whom it runs as instead may not look into root's home. */
const cache = process.getuid?.() === 0 ? '/var/cache' : join(homedir(), '.cache');
const folder = process.argv[2] ?? join(cache, 'winnow-letta');
const python = join(folder, 'bin/python');

/** Limit for the start of the server, in milliseconds. */
const START_MS = 180_000;

function install(): string | undefined {
  if (existsSync(join(folder, 'installed'))) return undefined;
  mkdirSync(folder, { recursive: true });
  const steps: readonly (readonly [string, ...string[]])[] = [
    ['python3.11', '-m', 'venv', folder],
    [python, '-m', 'pip', 'install', '--quiet', 'uv'],
    [
      join(folder, 'bin/uv'),
      'pip',
      'install',
      '--quiet',
      '--python',
      python,
      '--requirement',
      join(HERE, 'requirements.txt'),
    ],
    ['touch', join(folder, 'installed')],
  ];
  for (const [program, ...args] of steps) {
    const { status } = spawnSync(program, args, { stdio: 'inherit' });
    if (status !== 0) return `"${program} ${args.join(' ')}" failed`;
  }
  return undefined;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function isHealthy(url: string, server: ChildProcess): Promise<boolean> {
  for (const until = Date.now() + START_MS; Date.now() < until && server.exitCode === null; ) {
    const response = await fetch(`${url}/v1/health/`).catch(() => undefined);
    if (response?.ok) return true;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  return false;
}

const problem = install();
if (problem !== undefined) {
  console.log(`Skipped: Letta cannot be installed here, as ${problem}.`);
} else {
  const data = mkdtempSync(join(tmpdir(), 'winnow-letta-'));
  const port = await freePort();
  const server = spawn(python, [join(HERE, 'serve.py'), String(port), data], {
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  let lastLine = '';
  server.stderr!.on('data', (piece: Buffer) => {
    lastLine = piece.toString().trimEnd().split('\n').at(-1)! || lastLine;
  });
  const url = `http://127.0.0.1:${port}`;
  if (await isHealthy(url, server)) {
    const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--project', 'integration', '--maxWorkers=1'];
    const { status } = spawnSync(
      process.execPath,
      [...vitest, 'apps/attach/test/letta-server.integration.test.ts'],
      {
        cwd: ROOT,
        stdio: 'inherit',
        env: { ...process.env, WINNOW_LETTA_URL: url },
      },
    );
    process.exitCode = status ?? 1;
  } else console.log(`Skipped: Letta was installed and does not start: ${lastLine}`);
  const gone = new Promise((resolve) => server.once('exit', resolve));
  server.stdin!.end();
  if (server.exitCode === null) await gone;
  rmSync(data, { recursive: true, force: true });
}
