import { ATTACH_LIMITS } from '@winnow/contract';
import { parseRedisUrl } from '@winnow/redis';
import { registryProblems } from '@winnow/registry-client';
import {
  defaultsOf,
  type Environment,
  fromVariable,
  isLoopback,
  readVariables,
  serverTlsProblems,
  setting,
  type ValuesOf,
} from '@winnow/service';
import { readTracingSettings, type TracingSettings } from '@winnow/tracing';
import { z } from 'zod';

/** Who ranks tools: we, or Letta's own search for tools. */
const RANKERS = ['winnow', 'letta'] as const;
const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;

const ANY = Number.POSITIVE_INFINITY;
/** The longest time that Node's timers can wait. */
const LONGEST_MS = 2 ** 31 - 1;
const MIB = 2 ** 20;
/** More tools than any model is given. */
const MOST_TOOLS = 10_000;

/** Every setting: the one place of names, defaults and bounds. `docs/reference/attach.md` says what each is for. */
export const SETTINGS = {
  host: fromVariable('HOST', setting.text(z.string().min(1), '127.0.0.1', 'an address to listen on')),
  port: fromVariable('PORT', setting.wholeNumber(0, 65_535, 8790)),
  tokens: fromVariable('ATTACH_TOKENS', setting.bearerTokens()),
  tlsCertFile: fromVariable('TLS_CERT_FILE', setting.pemFile()),
  tlsKeyFile: fromVariable('TLS_KEY_FILE', setting.pemFile()),
  tlsClientCaFile: fromVariable('TLS_CLIENT_CA_FILE', setting.pemFile()),
  logLevel: fromVariable('LOG_LEVEL', setting.oneOf(LOG_LEVELS, 'info')),
  lettaBaseUrl: fromVariable('LETTA_BASE_URL', setting.url('')),
  lettaPassword: fromVariable('LETTA_PASSWORD', setting.secret()),
  lettaCaFile: fromVariable('LETTA_CA_FILE', setting.file('')),
  redisUrl: fromVariable(
    'ATTACH_REDIS_URL',
    setting.secretText(
      z.string().refine((text) => text === '' || parseRedisUrl(text).ok),
      'an address such as redis://user:password@host:6379',
    ),
  ),
  redisCaFile: fromVariable('ATTACH_REDIS_CA_FILE', setting.file('')),
  registry: fromVariable('ATTACH_REGISTRY', setting.url('')),
  registryToken: fromVariable('ATTACH_REGISTRY_TOKEN', setting.secret()),
  registryCaFile: fromVariable('ATTACH_REGISTRY_CA_FILE', setting.file('')),
  registryCertFile: fromVariable('ATTACH_REGISTRY_CERT_FILE', setting.file('')),
  registryKeyFile: fromVariable('ATTACH_REGISTRY_KEY_FILE', setting.file('')),
  webhookSecret: fromVariable('LETTA_WEBHOOK_SECRET', setting.secret()),
  rankWith: fromVariable('RANK_WITH', setting.oneOf(RANKERS, 'winnow')),
  findToolsMaxLimit: fromVariable('FIND_TOOLS_MAX_LIMIT', setting.wholeNumber(1, ATTACH_LIMITS.limit, 25)),
  maxTotalTools: fromVariable('MAX_TOTAL_TOOLS', setting.wholeNumber(1, MOST_TOOLS, 30)),
  maxMcpTools: fromVariable('MAX_MCP_TOOLS', setting.wholeNumber(1, MOST_TOOLS, 20)),
  minMcpTools: fromVariable('MIN_MCP_TOOLS', setting.wholeNumber(0, MOST_TOOLS, 7)),
  defaultDropRate: fromVariable('DEFAULT_DROP_RATE', setting.number(0, 1, 0.1)),
  neverDetachTools: fromVariable('NEVER_DETACH_TOOLS', setting.list('tool names')),
  protectedTools: fromVariable('PROTECTED_TOOLS', setting.list('tool names')),
  excludeCoreTools: fromVariable('EXCLUDE_LETTA_CORE_TOOLS', setting.flag(true)),
  maxBodyBytes: fromVariable('ATTACH_MAX_BODY_BYTES', setting.wholeNumber(1, 2 ** 30, MIB)),
  maxWaiting: fromVariable('ATTACH_MAX_WAITING', setting.wholeNumber(1, ANY, 128)),
  maxHeldBytes: fromVariable('ATTACH_MAX_HELD_BYTES', setting.wholeNumber(1, ANY, 64 * MIB)),
  requestTimeoutMs: fromVariable('ATTACH_REQUEST_TIMEOUT_MS', setting.wholeNumber(1, LONGEST_MS, 30_000)),
  keepAliveTimeoutMs: fromVariable(
    'ATTACH_KEEP_ALIVE_TIMEOUT_MS',
    setting.wholeNumber(1, LONGEST_MS, 65_000),
  ),
  drainDelayMs: fromVariable('ATTACH_DRAIN_DELAY_MS', setting.wholeNumber(0, LONGEST_MS, 0)),
  // Longer than a request takes at most: no agent is left half changed.
  drainTimeoutMs: fromVariable('ATTACH_DRAIN_TIMEOUT_MS', setting.wholeNumber(0, LONGEST_MS, 45_000)),
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
 * Nothing is guessed: a value that is not allowed, a combination that cannot work, and an `ATTACH_` or `WINNOW_` variable that does not exist are problems. Without
 * tokens whoever reaches the service may change every agent, so that it listens on loopback alone.
 */
export function readSettings(environment: Environment = process.env): SettingsOutcome {
  const { values, problems: wrong } = readVariables(SETTINGS, environment, {
    service: 'ATTACH',
    product: 'WINNOW',
  });
  const problems = [
    ...wrong,
    ...serverTlsProblems(values),
    ...registryProblems('ATTACH', values),
    ...limitProblems(values),
  ];
  if (values.tokens.length === 0 && !isLoopback(values.host)) {
    problems.push(
      'ATTACH_TOKENS must be set when HOST can be reached from other machines: without it, everybody may change every agent.',
    );
  }
  if (values.lettaBaseUrl === '' && values.lettaPassword !== '')
    problems.push('LETTA_BASE_URL must be set when LETTA_PASSWORD is.');
  const traced = readTracingSettings(environment);
  if (!traced.ok) problems.push(...traced.problems);
  if (!traced.ok || problems.length > 0) return { ok: false, problems };
  return { ok: true, settings: values, tracing: traced.tracing };
}

function limitProblems({ maxTotalTools, maxMcpTools, minMcpTools }: Settings): string[] {
  const problems: string[] = [];
  if (maxMcpTools > maxTotalTools) problems.push('MAX_MCP_TOOLS must not be above MAX_TOTAL_TOOLS.');
  if (minMcpTools > maxMcpTools) problems.push('MIN_MCP_TOOLS must not be above MAX_MCP_TOOLS.');
  return problems;
}
