import { availableParallelism } from 'node:os';
import { LIMITS } from '@winnow/contract';
import { embedderProblems, embedderSettings } from '@winnow/embeddings';
import { parseRedisUrl } from '@winnow/redis';
import { registryProblems } from '@winnow/registry-client';
import {
  defaultsOf,
  type Environment,
  fromVariable,
  readVariables,
  serverTlsProblems,
  setting,
  type ValuesOf,
} from '@winnow/service';
import { readTracingSettings, type TracingSettings } from '@winnow/tracing';
import { z } from 'zod';

const RANKERS = ['bm25', 'wink'] as const;
const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;

const ANY = Number.POSITIVE_INFINITY;
/** The longest time that Node's timers can wait. */
const LONGEST_MS = 2 ** 31 - 1;

/** Every setting: the one place of names, defaults and bounds. `docs/reference/selector.md` says what each is for. */
export const SETTINGS = {
  host: fromVariable('HOST', setting.text(z.string().min(1), '127.0.0.1', 'an address to listen on')),
  port: fromVariable('PORT', setting.wholeNumber(0, 65_535, 8788)),
  tokens: fromVariable('SELECTOR_TOKENS', setting.bearerTokens()),
  tlsCertFile: fromVariable('TLS_CERT_FILE', setting.pemFile()),
  tlsKeyFile: fromVariable('TLS_KEY_FILE', setting.pemFile()),
  tlsClientCaFile: fromVariable('TLS_CLIENT_CA_FILE', setting.pemFile()),
  ranker: fromVariable('RANKER', setting.oneOf(RANKERS, 'bm25')),
  logLevel: fromVariable('LOG_LEVEL', setting.oneOf(LOG_LEVELS, 'info')),
  maxBodyBytes: fromVariable('SELECTOR_MAX_BODY_BYTES', setting.wholeNumber(1, 2 ** 30, 16 * 2 ** 20)),
  maxTools: fromVariable('SELECTOR_MAX_TOOLS', setting.wholeNumber(1, ANY, LIMITS.tools)),
  maxWaiting: fromVariable('SELECTOR_MAX_WAITING', setting.wholeNumber(1, ANY, 128)),
  maxHeldBytes: fromVariable('SELECTOR_MAX_HELD_BYTES', setting.wholeNumber(1, ANY, 256 * 2 ** 20)),
  requestTimeoutMs: fromVariable('SELECTOR_REQUEST_TIMEOUT_MS', setting.wholeNumber(1, LONGEST_MS, 30_000)),
  keepAliveTimeoutMs: fromVariable(
    'SELECTOR_KEEP_ALIVE_TIMEOUT_MS',
    setting.wholeNumber(1, LONGEST_MS, 65_000),
  ),
  drainDelayMs: fromVariable('SELECTOR_DRAIN_DELAY_MS', setting.wholeNumber(0, LONGEST_MS, 0)),
  drainTimeoutMs: fromVariable('SELECTOR_DRAIN_TIMEOUT_MS', setting.wholeNumber(0, LONGEST_MS, 10_000)),
  cacheMaxBytes: fromVariable('SELECTOR_CACHE_MAX_BYTES', setting.wholeNumber(0, ANY, 256 * 2 ** 20)),
  cacheMaxCatalogues: fromVariable('SELECTOR_CACHE_MAX_CATALOGUES', setting.wholeNumber(0, ANY, 1_000)),
  buildWorkers: fromVariable(
    'SELECTOR_BUILD_WORKERS',
    // More than four at once would only make the main thread the bottleneck: it reads every body.
    setting.wholeNumber(0, 256, Math.min(4, availableParallelism())),
  ),
  ...embedderSettings('SELECTOR'),
  redisUrl: fromVariable(
    'SELECTOR_REDIS_URL',
    setting.secretText(
      z.string().refine((text) => text === '' || parseRedisUrl(text).ok),
      'an address such as redis://user:password@host:6379',
    ),
  ),
  redisCaFile: fromVariable('SELECTOR_REDIS_CA_FILE', setting.file('')),
  registry: fromVariable('SELECTOR_REGISTRY', setting.url('')),
  registryToken: fromVariable('SELECTOR_REGISTRY_TOKEN', setting.secret()),
  // An empty one may count as not set: it opens nothing.
  registryCallers: fromVariable('SELECTOR_REGISTRY_CALLERS', {
    ...setting.bearerTokens(),
    readsEmpty: false,
  }),
  registryCaFile: fromVariable('SELECTOR_REGISTRY_CA_FILE', setting.file('')),
  registryCertFile: fromVariable('SELECTOR_REGISTRY_CERT_FILE', setting.file('')),
  registryKeyFile: fromVariable('SELECTOR_REGISTRY_KEY_FILE', setting.file('')),
} as const;

/** The settings, read and checked. */
export type Settings = ValuesOf<typeof SETTINGS>;

/** Settings, or everything that is wrong with them: one sentence each, which names the variable and what is allowed. */
export type SettingsOutcome =
  | {
      readonly ok: true;
      readonly settings: Settings;
      /** Undefined when tracing is off. */
      readonly tracing: TracingSettings | undefined;
    }
  | { readonly ok: false; readonly problems: readonly string[] };

/** What stands when the environment says nothing. */
export const DEFAULT_SETTINGS: Settings = defaultsOf(SETTINGS);

/**
 * Reads the settings from environment variables.
 *
 * Nothing is guessed: a value that is not allowed, a combination that cannot work, a `SELECTOR_` variable that does not exist, and
 * a setting under `WINNOW_` are problems. An empty variable counts as not set, except for tokens, where it would silently open the service.
 * Tracing has the standard variables of OpenTelemetry.
 */
export function readSettings(environment: Environment = process.env): SettingsOutcome {
  const { values, problems: wrong } = readVariables(SETTINGS, environment, {
    service: 'SELECTOR',
    product: 'WINNOW',
  });
  const problems = [
    ...wrong,
    ...serverTlsProblems(values),
    ...registryProblems('SELECTOR', values),
    ...callerProblems(values),
    ...redisProblems(values),
    ...embedderProblems({ embedder: 'SELECTOR_EMBEDDER', embedderKey: 'SELECTOR_EMBEDDER_KEY' }, values),
  ];
  const traced = readTracingSettings(environment);
  if (!traced.ok) problems.push(...traced.problems);
  if (!traced.ok || problems.length > 0) return { ok: false, problems };
  return { ok: true, settings: values, tracing: traced.tracing };
}

/** What is wrong with the settings of a Redis together, one sentence each. */
function redisProblems({ embedder, redisUrl, redisCaFile }: ValuesOf<typeof SETTINGS>): string[] {
  if (redisUrl === '')
    return redisCaFile === '' ? [] : ['SELECTOR_REDIS_URL must be set when SELECTOR_REDIS_CA_FILE is.'];
  const problems: string[] = [];
  if (embedder === '')
    problems.push(
      'SELECTOR_EMBEDDER must be set when SELECTOR_REDIS_URL is: vectors are all that is kept there.',
    );
  const parsed = parseRedisUrl(redisUrl);
  if (redisCaFile !== '' && parsed.ok && !parsed.address.isTls)
    problems.push('SELECTOR_REDIS_URL must begin with rediss when SELECTOR_REDIS_CA_FILE is set.');
  return problems;
}

/** What is wrong with the callers who may search a registry, one sentence each. */
function callerProblems({ registry, tokens, registryCallers: callers }: ValuesOf<typeof SETTINGS>): string[] {
  if (registry === '') {
    const isSet = callers.length > 0;
    return isSet ? ['SELECTOR_REGISTRY must be set when SELECTOR_REGISTRY_CALLERS is.'] : [];
  }
  const problems: string[] = [];
  if (tokens.length > 0 && callers.length === 0) {
    problems.push(
      'SELECTOR_REGISTRY_CALLERS must be set when SELECTOR_REGISTRY and SELECTOR_TOKENS are: without it, nobody could search the registry.',
    );
  }
  if (callers.some((token) => !tokens.includes(token))) {
    problems.push('SELECTOR_REGISTRY_CALLERS must hold tokens that are in SELECTOR_TOKENS as well.');
  }
  return problems;
}
