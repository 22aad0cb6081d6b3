import { totalmem } from 'node:os';
import { z } from 'zod';
import type { LogLevel } from '../log.ts';
import { at } from './setting.ts';
import * as setting from './setting-kinds.ts';

/** Returns the settings of a service with a JSON API over HTTP. */
export function serverSettings(port: number) {
  return {
    host: at('server.host', setting.of(z.string().min(1), '127.0.0.1', 'an address to listen on')),
    port: at('server.port', setting.wholeNumber(0, 65_535, port)),
    tlsFolder: at('server.tls_folder', setting.tlsFolder()),
    tlsClientCaFile: at('server.client_ca_file', setting.pemFile()),
  } as const;
}

/** Returns the setting of a service that calls others of the operator, such as Redis, over TLS. */
export function clientSettings() {
  return { clientTlsFolder: at('client.tls_folder', setting.file('')) } as const;
}

/** The limits of a service with a JSON API that no setting changes. Times are in milliseconds. */
export interface ServerLimits {
  /** The largest body, in bytes, counted after decompression. */
  readonly maxBodyBytes: number;
  /** The most requests that are received or answered at a time. */
  readonly maxWaiting: number;
  /** The most bytes of bodies that are held at a time. */
  readonly maxHeldBytes: number;
  /** The time that the head of a request may take to arrive, and then its body. */
  readonly requestTimeoutMs: number;
  /** The time that a connection may be idle: longer than most load balancers wait, so that none reuses a closing one. */
  readonly keepAliveTimeoutMs: number;
  /** The time that running requests have after SIGTERM. */
  readonly drainTimeoutMs: number;
  readonly logLevel: LogLevel;
}

/** Returns the memory of the container, or else of the machine, in bytes. */
export function memoryHere(): number {
  return Math.min(process.constrainedMemory() || Number.POSITIVE_INFINITY, totalmem());
}

/** The share of the memory that bodies may take together: 96 MiB of 512. */
const HELD_SHARE = 3 / 16;

/** Returns the bytes of bodies that are held at a time with so much memory: at most 256 MiB. */
export function heldBytesOf(memory: number): number {
  return Math.min(256 * 2 ** 20, Math.floor(memory * HELD_SHARE));
}

/** Returns the limits of a service, completed. In a small container, bodies have less memory than `maxHeldBytes`. */
export function serverLimits(
  own: Pick<ServerLimits, 'maxBodyBytes' | 'maxHeldBytes' | 'drainTimeoutMs'>,
): ServerLimits {
  return {
    ...own,
    maxHeldBytes: Math.min(own.maxHeldBytes, heldBytesOf(memoryHere())),
    maxWaiting: 128,
    requestTimeoutMs: 30_000,
    keepAliveTimeoutMs: 65_000,
    logLevel: 'info',
  };
}
