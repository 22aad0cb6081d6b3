import { z } from 'zod';
import { at } from './setting.ts';
import * as setting from './setting-kinds.ts';

/** Defaults that differ between services, with sizes and times as in settings. */
export interface ServerDefaults {
  readonly port: number;
  readonly maxBody: string;
  readonly maxHeld: string;
  readonly drainTimeout: string;
}

const ANY = Number.POSITIVE_INFINITY;

/** Returns the settings of a service with a JSON API over HTTP. */
export function serverSettings({ port, maxBody, maxHeld, drainTimeout }: ServerDefaults) {
  const time = setting.duration;
  return {
    host: at('server.host', setting.of(z.string().min(1), '127.0.0.1', 'an address to listen on')),
    port: at('server.port', setting.wholeNumber(0, 65_535, port)),
    tlsCertFile: at('server.cert_file', setting.pemFile()),
    tlsKeyFile: at('server.key_file', setting.pemFile()),
    tlsClientCaFile: at('server.client_ca_file', setting.pemFile()),
    maxBodyBytes: at('server.max_body', setting.byteSize(maxBody, 1, 2 ** 30)),
    maxWaiting: at('server.max_waiting', setting.wholeNumber(1, ANY, 128)),
    maxHeldBytes: at('server.max_held_bodies', setting.byteSize(maxHeld, 1, ANY)),
    requestTimeoutMs: at('server.request_timeout', time('30s', 1)),
    keepAliveTimeoutMs: at('server.keep_alive_timeout', time('65s', 1)),
    drainDelayMs: at('server.drain_delay', time('0s', 0)),
    drainTimeoutMs: at('server.drain_timeout', time(drainTimeout, 0)),
    logLevel: at('log.level', setting.oneOf(['debug', 'info', 'warn', 'error'], 'info')),
  } as const;
}
