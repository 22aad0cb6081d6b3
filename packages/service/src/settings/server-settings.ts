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

/** Returns the settings of a service with a JSON API over HTTP. `prefix` begins its variables. */
export function serverSettings(prefix: string, { port, maxBody, maxHeld, drainTimeout }: ServerDefaults) {
  const was = (name: string) => `${prefix}_${name}`;
  const time = setting.duration;
  return {
    host: at('server.host', setting.of(z.string().min(1), '127.0.0.1', 'an address to listen on'), 'HOST'),
    port: at('server.port', setting.wholeNumber(0, 65_535, port), 'PORT'),
    tlsCertFile: at('server.cert_file', setting.pemFile(), 'TLS_CERT_FILE'),
    tlsKeyFile: at('server.key_file', setting.pemFile(), 'TLS_KEY_FILE'),
    tlsClientCaFile: at('server.client_ca_file', setting.pemFile(), 'TLS_CLIENT_CA_FILE'),
    maxBodyBytes: at('server.max_body', setting.byteSize(maxBody, 1, 2 ** 30), was('MAX_BODY_BYTES')),
    maxWaiting: at('server.max_waiting', setting.wholeNumber(1, ANY, 128), was('MAX_WAITING')),
    maxHeldBytes: at('server.max_held_bodies', setting.byteSize(maxHeld, 1, ANY), was('MAX_HELD_BYTES')),
    requestTimeoutMs: at('server.request_timeout', time('30s', 1), was('REQUEST_TIMEOUT_MS')),
    keepAliveTimeoutMs: at('server.keep_alive_timeout', time('65s', 1), was('KEEP_ALIVE_TIMEOUT_MS')),
    drainDelayMs: at('server.drain_delay', time('0s', 0), was('DRAIN_DELAY_MS')),
    drainTimeoutMs: at('server.drain_timeout', time(drainTimeout, 0), was('DRAIN_TIMEOUT_MS')),
    logLevel: at('log.level', setting.oneOf(['debug', 'info', 'warn', 'error'], 'info'), 'LOG_LEVEL'),
  } as const;
}
