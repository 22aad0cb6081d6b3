import { availableParallelism } from 'node:os';
import { LIMITS } from '@winnow/contract';
import { nearestName } from '@winnow/service';
import { readTracingSettings, type TracingSettings } from '@winnow/tracing';
import { z } from 'zod';

const wholeNumber = (least: number, most = Number.MAX_SAFE_INTEGER) =>
  z
    .string()
    .regex(/^\d+$/)
    .transform(Number)
    .refine((value) => value >= least && value <= most);

/** One environment variable: how its text is read, what stands when it is not set, and what to say when it is wrong. */
interface Setting<Value> {
  readonly variable: string;
  readonly schema: z.ZodType<Value, string>;
  readonly default: Value;
  /** Completes "… must be". */
  readonly allowed: string;
}

const setting = <Value>(
  variable: string,
  schema: z.ZodType<Value, string>,
  fallback: Value,
  allowed: string,
): Setting<Value> => ({ variable, schema, default: fallback, allowed });

const optionalFile = (variable: string) =>
  setting<string | undefined>(variable, z.string().min(1), undefined, 'the path of a PEM file');

const RANKERS = ['bm25', 'wink'] as const;
const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;

/** A token is what an `Authorization: Bearer` header can carry: https://www.rfc-editor.org/rfc/rfc6750#section-2.1 */
const BEARER_TOKEN = /^[A-Za-z0-9\-._~+/]+=*$/;

/** Every setting: the one place of names, defaults and bounds. `docs/selector.md` says what each is for. */
export const SETTINGS = {
  host: setting('HOST', z.string().min(1), '127.0.0.1', 'an address to listen on'),
  port: setting('PORT', wholeNumber(0, 65_535), 8788, 'a whole number from 0 to 65535'),
  tokens: setting<readonly string[]>(
    'SELECTOR_TOKENS',
    z
      .string()
      .transform((list) => list.split(',').map((token) => token.trim()))
      .refine((tokens) => tokens.every((token) => BEARER_TOKEN.test(token))),
    [],
    'a comma-separated list of bearer tokens, none of them empty; leave it out to need none',
  ),
  tlsCertFile: optionalFile('TLS_CERT_FILE'),
  tlsKeyFile: optionalFile('TLS_KEY_FILE'),
  tlsClientCaFile: optionalFile('TLS_CLIENT_CA_FILE'),
  ranker: setting<(typeof RANKERS)[number]>(
    'RANKER',
    z.enum(RANKERS),
    'bm25',
    `one of ${RANKERS.join(', ')}`,
  ),
  logLevel: setting<(typeof LOG_LEVELS)[number]>(
    'LOG_LEVEL',
    z.enum(LOG_LEVELS),
    'info',
    `one of ${LOG_LEVELS.join(', ')}`,
  ),
  maxBodyBytes: setting(
    'SELECTOR_MAX_BODY_BYTES',
    wholeNumber(1, 2 ** 30),
    16 * 1024 * 1024,
    'a whole number from 1 to 1073741824',
  ),
  maxTools: setting('SELECTOR_MAX_TOOLS', wholeNumber(1), LIMITS.tools, 'a whole number from 1'),
  maxWaiting: setting('SELECTOR_MAX_WAITING', wholeNumber(1), 128, 'a whole number from 1'),
  maxHeldBytes: setting(
    'SELECTOR_MAX_HELD_BYTES',
    wholeNumber(1),
    256 * 1024 * 1024,
    'a whole number from 1',
  ),
  requestTimeoutMs: setting(
    'SELECTOR_REQUEST_TIMEOUT_MS',
    wholeNumber(1, 2 ** 31 - 1),
    30_000,
    'a whole number from 1 to 2147483647',
  ),
  keepAliveTimeoutMs: setting(
    'SELECTOR_KEEP_ALIVE_TIMEOUT_MS',
    wholeNumber(1, 2 ** 31 - 1),
    65_000,
    'a whole number from 1 to 2147483647',
  ),
  drainDelayMs: setting(
    'SELECTOR_DRAIN_DELAY_MS',
    wholeNumber(0, 2 ** 31 - 1),
    0,
    'a whole number from 0 to 2147483647',
  ),
  drainTimeoutMs: setting(
    'SELECTOR_DRAIN_TIMEOUT_MS',
    wholeNumber(0, 2 ** 31 - 1),
    10_000,
    'a whole number from 0 to 2147483647',
  ),
  cacheMaxBytes: setting(
    'SELECTOR_CACHE_MAX_BYTES',
    wholeNumber(0),
    256 * 1024 * 1024,
    'a whole number from 0',
  ),
  cacheMaxCatalogues: setting(
    'SELECTOR_CACHE_MAX_CATALOGUES',
    wholeNumber(0),
    1_000,
    'a whole number from 0',
  ),
  buildWorkers: setting(
    'SELECTOR_BUILD_WORKERS',
    wholeNumber(0, 256),
    // More than four at once would only make the main thread the bottleneck: it reads every body.
    Math.min(4, availableParallelism()),
    'a whole number from 0 to 256',
  ),
} as const;

type SettingValue<Key extends keyof typeof SETTINGS> =
  (typeof SETTINGS)[Key] extends Setting<infer Value> ? Value : never;

/** The settings, read and checked. */
export type Settings = { readonly [Key in keyof typeof SETTINGS]: SettingValue<Key> };

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
export const DEFAULT_SETTINGS = Object.fromEntries(
  Object.entries(SETTINGS).map(([key, { default: value }]) => [key, value]),
) as Settings;

/**
 * Reads the settings from environment variables.
 *
 * Nothing is guessed: a value that is not allowed, a combination that cannot work, and a `SELECTOR_` or `WINNOW_` variable that
 * does not exist are problems. An empty variable counts as not set, except for tokens, where it would silently open the service.
 * Tracing has the standard variables of OpenTelemetry.
 */
export function readSettings(
  environment: Readonly<Record<string, string | undefined>> = process.env,
): SettingsOutcome {
  const problems = unknownVariables(environment);
  const settings: Record<string, unknown> = {};
  for (const [key, one] of Object.entries<Setting<unknown>>(SETTINGS)) {
    const text = environment[one.variable];
    const isUnset = text === undefined || (text === '' && one !== SETTINGS.tokens);
    const result = isUnset ? { success: true as const, data: one.default } : one.schema.safeParse(text);
    // The value is not repeated: it may be a secret in the wrong place.
    if (result.success) settings[key] = result.data;
    else problems.push(`${one.variable} must be ${one.allowed}.`);
  }
  problems.push(...impossibleCombinations(settings as Settings));
  const traced = readTracingSettings(environment);
  if (!traced.ok) problems.push(...traced.problems);
  if (!traced.ok || problems.length > 0) return { ok: false, problems };
  return { ok: true, settings: settings as Settings, tracing: traced.tracing };
}

/** Whether only this machine can reach the service. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host);
}

const OUR_PREFIX = /^(SELECTOR|WINNOW)_/;

/** What Kubernetes and Docker set for a service called "selector" or "winnow…", without being asked. */
const SERVICE_LINK = /_(SERVICE_(HOST|PORT)(_\w+)?|PORT(_\d+_(TCP|UDP)(_(PROTO|PORT|ADDR))?)?)$/;

function unknownVariables(environment: Readonly<Record<string, string | undefined>>): string[] {
  const known = Object.values(SETTINGS).map(({ variable }) => variable as string);
  return Object.keys(environment)
    .filter((name) => OUR_PREFIX.test(name) && !SERVICE_LINK.test(name) && !known.includes(name))
    .map((name) => `${name} is not a setting; the nearest one is ${nearestName(name, known)}.`);
}

function impossibleCombinations(settings: Settings): string[] {
  const { tlsCertFile, tlsKeyFile, tlsClientCaFile } = settings;
  const problems: string[] = [];
  if (tlsCertFile !== undefined && tlsKeyFile === undefined) {
    problems.push('TLS_KEY_FILE must be set when TLS_CERT_FILE is.');
  }
  if (tlsKeyFile !== undefined && tlsCertFile === undefined) {
    problems.push('TLS_CERT_FILE must be set when TLS_KEY_FILE is.');
  }
  if (tlsClientCaFile !== undefined && tlsCertFile === undefined) {
    problems.push('TLS_CERT_FILE and TLS_KEY_FILE must be set when TLS_CLIENT_CA_FILE is.');
  }
  return problems;
}
