import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { findFreePort } from './deploy/start-process.ts';

const ROOT = join(import.meta.dirname, '..');
const NPM_START: Command = ['npm', 'start'];
const START: Command = [process.execPath, 'scripts/start.ts'];

type Command = readonly [string, ...string[]];

/**
 * Starts both services on free ports in their own process group, and waits until both print their addresses.
 */
async function start(command: Command) {
  const [selectorPort, proxyPort] = [await findFreePort(), await findFreePort()];
  const { child, output, ended } = run(command, { selectorPort, proxyPort });
  await output.has(`winnow selector listens on http://127.0.0.1:${selectorPort}`);
  await output.has(`winnow proxy listens on http://127.0.0.1:${proxyPort}`);
  const areListening = () =>
    Promise.all([selectorPort, proxyPort].map((port) => isListening(`http://127.0.0.1:${port}/healthz`)));
  return { child, ended, areListening };
}

interface Ports {
  readonly selectorPort: number;
  readonly proxyPort: number;
}

function run([program, ...args]: Command, { selectorPort, proxyPort }: Ports) {
  const child = spawn(program, args, {
    cwd: ROOT,
    env: { ...process.env, SELECTOR_SERVER_PORT: String(selectorPort), PROXY_SERVER_PORT: String(proxyPort) },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const exit = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  onTestFinished(async () => {
    signalGroup(child, 'SIGKILL');
    await closed;
  });
  // Both services write to these pipes: they close when the last process has ended.
  const ended = closed.then(() => exit);
  return { child, ended, output: collect(child) };
}

function collect({ stdout, stderr }: ChildProcess) {
  let text = '';
  const waiting = new Set<() => void>();
  for (const stream of [stdout!, stderr!]) {
    stream.setEncoding('utf8').on('data', (piece: string) => {
      text += piece;
      for (const check of waiting) check();
    });
  }
  const has = (part: string) =>
    new Promise<void>((resolve) => {
      const check = () => {
        if (text.includes(part)) resolve();
      };
      waiting.add(check);
      check();
    });
  return { has };
}

/** Sends a signal to the whole group, as a terminal does with Ctrl-C. */
function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid!, signal);
  } catch {
    // All have ended.
  }
}

function isListening(url: string): Promise<boolean> {
  return fetch(url).then(
    () => true,
    () => false,
  );
}

test.each([
  { signal: 'SIGTERM', receiver: 'npm', command: NPM_START },
  { signal: 'SIGINT', receiver: 'npm', command: NPM_START },
  { signal: 'SIGTERM', receiver: 'the script', command: START },
  { signal: 'SIGINT', receiver: 'the script', command: START },
] as const)(
  '$signal to $receiver alone stops both services, and exits with 0',
  async ({ signal, command }) => {
    const { child, ended, areListening } = await start(command);
    expect(await areListening()).toEqual([true, true]);
    child.kill(signal);
    expect(await ended).toBe(0);
    expect(await areListening()).toEqual([false, false]);
  },
);

test.each([
  { killed: 'the script that started them', command: START },
  { killed: 'the npm that runs the script', command: NPM_START },
])('both services stop when $killed is killed', async ({ command }) => {
  const { child, ended, areListening } = await start(command);
  child.kill('SIGKILL');
  expect(await ended).toBeNull();
  expect(await areListening()).toEqual([false, false]);
});

test.each(['selector', 'proxy'])(
  'the %s stops when who started it was gone before it listened',
  async (name) => {
    const child = spawn(process.execPath, [`apps/${name}/src/main.ts`], {
      cwd: ROOT,
      env: { SELECTOR_SERVER_PORT: '0', PROXY_SERVER_PORT: '0' },
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    child.disconnect();
    expect(await once(child, 'exit')).toEqual([0, null]);
  },
);

test.each([[['--help']], [['-h']], [['selector', 'attach', '--help']], [['--all', '--help']]])(
  '%j prints help, and starts nothing',
  (words) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, ['scripts/start.ts', ...words], {
      cwd: ROOT,
      encoding: 'utf8',
    });
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^Usage: npm start -- .*--config FILE .*--help /s);
  },
);

test.each([[['proxi']], [['selector', 'proxi', '--config', 'x.yaml']], [['--all', 'proxi']]])(
  '%j names a service that does not exist, and starts nothing',
  (words) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, ['scripts/start.ts', ...words], {
      cwd: ROOT,
      encoding: 'utf8',
    });
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toBe(
      'There is no service "proxi"; there are selector, proxy, attach, registry. --help says more.\n',
    );
  },
);

test('one service prints its own help', () => {
  const { status, stdout } = spawnSync(process.execPath, ['scripts/start.ts', 'registry', '--help'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  expect(status).toBe(0);
  expect(stdout).toMatch(/^Usage: .*--config FILE .*--print-config .*REGISTRY_SERVER_PORT/s);
});

test('Ctrl-C in a terminal, which reaches every process, stops both in order', async () => {
  const { child, ended } = await start(NPM_START);
  signalGroup(child, 'SIGINT');
  expect(await ended).toBe(0);
});

test.each<[string, () => number | Promise<number>, number]>([
  ['refuses its settings', () => 70_000, 2],
  ['cannot have its port', occupyPort, 1],
])('a service that %s stops the other one, and its exit code is given', async (_, choosePort, code) => {
  // In this order: a port that is occupied later may be the one that was free before, and then never answers.
  const proxyPort = await choosePort();
  const selectorPort = await findFreePort();
  const { ended } = run(START, { selectorPort, proxyPort });
  expect(await ended).toBe(code);
  expect(await isListening(`http://127.0.0.1:${selectorPort}/healthz`)).toBe(false);
});

/** A port that is in use until the test ends. */
async function occupyPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}
