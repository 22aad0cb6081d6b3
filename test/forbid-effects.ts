import childProcess, { ChildProcess } from 'node:child_process';
import dgram from 'node:dgram';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';
import { afterAll, afterEach } from 'vitest';

/**
 * Forbids effects as soon as it is imported: a test fails if it starts a process, opens a socket or listens,
 * so that the unit tests stay fast and never wait for the machine.
 *
 * All of Node's processes and sockets (fetch, undici, tls, a browser's driver) end in one of these methods.
 */
forbid(ChildProcess.prototype, ['spawn'], 'started a process');
forbid(childProcess, ['spawnSync', 'execSync', 'execFileSync'], 'started a process');
forbid(net.Socket.prototype, ['connect'], 'opened a socket');
forbid(net.Server.prototype, ['listen'], 'listened on a socket');
forbid(dgram.Socket.prototype, ['bind', 'connect', 'send'], 'opened a socket');
syncBuiltinESMExports();

/**
 * The forbidden effects that occurred: code that survives any failure survives a thrown one too, and its test
 * must fail anyway.
 */
const breaches: Error[] = [];

/** Fails the tests of the current file that had an effect, at their end. */
export function failWhereForbidden(): void {
  afterEach(report);
  afterAll(report);
}

function report(): void {
  const [breach] = breaches.splice(0);
  if (breach) throw breach;
}

function forbid(target: object, methods: readonly string[], deed: string): void {
  for (const method of methods) {
    const refuse = () => {
      const breach = new Error(
        `A unit test ${deed}. Tests that do live in files named *.integration.test.ts (CONTRIBUTING.md).`,
      );
      breaches.push(breach);
      throw breach;
    };
    Object.defineProperty(target, method, { value: refuse });
  }
}
