import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface RedisServerOptions {
  /** Lines of its configuration file, such as `maxmemory 2mb`. They come last, so they take precedence. */
  readonly config?: readonly string[];
  /** Whether to start a Sentinel instead of a server. */
  readonly isSentinel?: boolean;
  /** PEM files for a second port with TLS. Clients need a certificate of the authority. */
  readonly tls?: { readonly ca: string; readonly cert: string; readonly key: string };
  /** The password that clients must send first. */
  readonly password?: string;
}

/** A real Redis or Valkey on a free port of 127.0.0.1, without persistence. */
export interface RedisServer {
  readonly port: number;
  /** The TLS port; 0 if there is none. */
  readonly tlsPort: number;
  /** Its URL without TLS and without a password. */
  readonly url: string;
  /** The folder of its files, deleted when the server is closed. */
  readonly folder: string;
  /** Pauses the process, like an overloaded machine: connections stay open without responses. */
  pause(): void;
  resume(): void;
  /** Kills it. */
  kill(): Promise<void>;
  /** Starts it again, empty, on the same port. */
  start(): Promise<void>;
  /** Sends one command over a new connection, and returns the raw reply. */
  ask(...command: readonly string[]): Promise<string>;
  /** Ends it and deletes its files. */
  close(): Promise<void>;
}

/** Interval between checks whether the server is ready, in milliseconds. */
const ASK_EVERY_MS = 10;

/**
 * Starts a server and waits until it responds. It ends with this process at the latest.
 *
 * Throws an error that names the Debian package if neither `redis-server` nor `valkey-server` is installed.
 */
export async function startRedis(options: RedisServerOptions = {}): Promise<RedisServer> {
  const binary = findBinary();
  const folder = mkdtempSync(join(tmpdir(), 'winnow-redis-'));
  const place = { port: await freePort(), tlsPort: options.tls ? await freePort() : 0, folder };
  const { port, tlsPort } = place;
  let server: ChildProcess | undefined;
  const start = async () => {
    server = launch(binary, options, place);
    await untilItAnswers(server, () => askOnce(options, port, ['PING']));
  };
  const kill = async () => {
    if (server) await end(server);
    server = undefined;
  };
  const close = async () => {
    await kill();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await start();
  } catch (error) {
    await close();
    throw error;
  }
  return {
    port,
    tlsPort,
    url: `redis://127.0.0.1:${port}`,
    folder,
    pause: () => void server?.kill('SIGSTOP'),
    resume: () => void server?.kill('SIGCONT'),
    kill,
    start,
    ask: (...command) => askOnce(options, port, command),
    close,
  };
}

/** Running servers, so that a test that ends early leaves none behind. */
const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const server of running) server.kill('SIGKILL');
});

function launch(binary: string, options: RedisServerOptions, place: ServerPlace): ChildProcess {
  const file = join(place.folder, 'redis.conf');
  // Written on every start, because a Sentinel rewrites its file.
  writeFileSync(file, `${configOf(options, place).join('\n')}\n`);
  const server = spawn(binary, [file, ...(options.isSentinel ? ['--sentinel'] : [])], { stdio: 'ignore' });
  running.add(server);
  server.once('exit', () => running.delete(server));
  return server;
}

async function end(server: ChildProcess): Promise<void> {
  if (!running.has(server)) return;
  const gone = new Promise((resolve) => server.once('exit', resolve));
  server.kill('SIGKILL');
  await gone;
}

function findBinary(): string {
  const names = ['redis-server', 'valkey-server'];
  const found = names.find((name) => spawnSync(name, ['--version'], { stdio: 'ignore' }).status === 0);
  if (found === undefined) {
    throw new Error(
      `There is no ${names.join(' and no ')} here: apt-get install redis-server (or valkey-server)`,
    );
  }
  return found;
}

/** Address of a server. */
interface ServerPlace {
  readonly port: number;
  readonly tlsPort: number;
  readonly folder: string;
}

function configOf(options: RedisServerOptions, { port, tlsPort, folder }: ServerPlace): string[] {
  const { config = [], isSentinel, tls, password } = options;
  return [
    'bind 127.0.0.1',
    `port ${port}`,
    `dir ${folder}`,
    ...(tls
      ? [
          `tls-port ${tlsPort}`,
          `tls-cert-file ${tls.cert}`,
          `tls-key-file ${tls.key}`,
          `tls-ca-cert-file ${tls.ca}`,
        ]
      : []),
    ...(password === undefined ? [] : [`requirepass ${password}`]),
    ...(isSentinel ? [] : ['save ""', 'appendonly no', 'databases 4']),
    ...config,
  ];
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

async function untilItAnswers(server: ChildProcess, ask: () => Promise<string>): Promise<void> {
  while (running.has(server)) {
    if (await ask().catch(() => '')) return;
    await new Promise((resolve) => setTimeout(resolve, ASK_EVERY_MS));
  }
  throw new Error(`${server.spawnfile} ended with ${server.exitCode}: is its configuration right?`);
}

/**
 * Sends a command and reads the reply. The server closes the connection after the reply, because the client
 * has half-closed it.
 */
function askOnce(
  { password }: RedisServerOptions,
  port: number,
  command: readonly string[],
): Promise<string> {
  const commands = [...(password === undefined ? [] : [['AUTH', password]]), command];
  return new Promise((resolve, reject) => {
    let reply = '';
    const socket = connect(port, '127.0.0.1');
    socket.setEncoding('utf8').on('data', (text: string) => {
      reply += text;
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(withoutFirstOf(password, reply)));
    socket.end(commands.map(encode).join(''));
  });
}

/** Drops the reply to the password. */
function withoutFirstOf(password: string | undefined, reply: string): string {
  return password === undefined ? reply : reply.slice(reply.indexOf('\r\n') + 2);
}

function encode(command: readonly string[]): string {
  const parts = command.map((part) => `$${Buffer.byteLength(part)}\r\n${part}\r\n`);
  return `*${command.length}\r\n${parts.join('')}`;
}
