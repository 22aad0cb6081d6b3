import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../free-port.ts';
import { readCpuTime } from '../read-process-tree.ts';
import type { Stoppable } from '../with-processes.ts';
import type { Receiver } from './receiver.ts';

/** A reverse proxy written in C: the minimum cost of forwarding. */
export type Floor = Receiver & Stoppable;

/** Instructions to start one of them. */
interface FloorProgram {
  readonly name: string;
  /** Arguments that keep it in the foreground, with its settings in a file of this folder. */
  readonly args: (folder: string) => string[];
  readonly settings: (port: number, upstream: URL) => string;
}

const SETTINGS_FILE = 'settings';

/** In order of preference. One thread each, because the proxy and the pipes use one for requests. */
const PROGRAMS: readonly FloorProgram[] = [
  {
    name: 'haproxy',
    args: (folder) => ['-db', '-f', join(folder, SETTINGS_FILE)],
    settings: (port, { host }) => `
global
  nbthread 1
defaults
  mode http
  timeout connect 5s
  timeout client 600s
  timeout server 600s
listen pipe
  bind 127.0.0.1:${port}
  http-reuse always
  server upstream ${host}
`,
  },
  {
    name: 'nginx',
    args: (folder) => ['-p', folder, '-c', join(folder, SETTINGS_FILE), '-e', 'stderr'],
    settings: (port, { host }) => `
daemon off;
worker_processes 1;
pid nginx.pid;
events {}
http {
  access_log off;
  client_body_temp_path bodies;
  proxy_temp_path responses;
  client_max_body_size 0;
  proxy_request_buffering off;
  keepalive_requests 1000000000;
  upstream bench { server ${host}; keepalive 64; keepalive_requests 1000000000; }
  server {
    listen 127.0.0.1:${port};
    location / { proxy_pass http://bench; proxy_http_version 1.1; proxy_set_header Connection ""; }
  }
}
`,
  },
];

const READY_TIMEOUT_MS = 10_000;
const POLL_MS = 20;

/** Starts HAProxy or nginx in front of an upstream; `undefined` if neither is installed. */
export async function startFloor(upstreamUrl: string): Promise<Floor | undefined> {
  const program = PROGRAMS.find(({ name }) => spawnSync(name, ['-v'], { stdio: 'ignore' }).status === 0);
  if (program === undefined) return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'winnow-bench-'));
  const port = await freePort();
  writeFileSync(join(folder, SETTINGS_FILE), program.settings(port, new URL(upstreamUrl)));
  const child = spawn(program.name, program.args(folder), { stdio: 'ignore', cwd: folder });
  const kill = () => child.kill();
  process.once('exit', kill);
  const ended = once(child, 'exit');
  const url = `http://127.0.0.1:${port}`;
  const stop = async () => {
    process.off('exit', kill);
    child.kill('SIGTERM');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  if (!(await isReached(port))) {
    await stop();
    throw new Error(`${program.name} did not get ready`);
  }
  return { name: program.name, url, cpuMs: () => readCpuTime(child.pid!), stop };
}

async function isReached(port: number): Promise<boolean> {
  const deadline = performance.now() + READY_TIMEOUT_MS;
  while (performance.now() < deadline) {
    const socket = connect({ host: '127.0.0.1', port });
    const isOpen = await once(socket, 'connect').then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (isOpen) return true;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  return false;
}
