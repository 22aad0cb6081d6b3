import { registryProblems, registrySettings } from '@winnow/clients';
import { ATTACH_LIMITS } from '@winnow/core';
import {
  at,
  clientSettings,
  defaultsOf,
  isLoopback,
  readService,
  redisSettings,
  type ServiceSettings,
  type SettingsSources,
  serverLimits,
  serverSettings,
  serverTlsProblems,
  setting,
  type ValuesOf,
} from '@winnow/service';

/** More tools than any model is given. */
const MOST_TOOLS = 10_000;

/** Every setting: the one place of names, defaults and bounds. `docs/reference/attach.md` says what each is for. */
export const SETTINGS = {
  ...serverSettings(8790),
  tokens: at('server.tokens', setting.bearerTokens()),
  lettaBaseUrl: at('letta.base_url', setting.url('')),
  lettaPassword: at('letta.password', setting.secret('every_request')),
  webhookSecret: at('letta.webhook_secret', setting.secret('no_request')),
  ...redisSettings(),
  ...registrySettings(),
  ...clientSettings(),
  findToolsMaxLimit: at('find_tools_max_limit', setting.wholeNumber(1, ATTACH_LIMITS.limit, 25)),
  maxTotalTools: at('max_total_tools', setting.wholeNumber(1, MOST_TOOLS, 30)),
  maxMcpTools: at('max_mcp_tools', setting.wholeNumber(1, MOST_TOOLS, 20)),
  minMcpTools: at('min_mcp_tools', setting.wholeNumber(0, MOST_TOOLS, 7)),
  defaultDropRate: at('default_drop_rate', setting.number(0, 1, 0.1)),
  neverDetachTools: at('never_detach_tools', setting.list('tool names')),
  protectedTools: at('protected_tools', setting.list('tool names')),
  excludeCoreTools: at('exclude_letta_core_tools', setting.flag(true)),
} as const;

const MIB = 2 ** 20;

/** Limits that no setting changes. */
const FIXED = {
  // The drain time is longer than a request takes at most: no agent is left half changed.
  ...serverLimits({ maxBodyBytes: MIB, maxHeldBytes: 64 * MIB, drainTimeoutMs: 45_000 }),
  /** The time limit of one call to Letta, which may list its tools slowly. */
  lettaTimeoutMs: 5_000,
};

type Values = ValuesOf<typeof SETTINGS>;

/** The settings, read and checked, with the limits. */
export type Settings = Values & typeof FIXED;

/** The settings when nothing is set. */
export const DEFAULT_SETTINGS: Settings = { ...defaultsOf(SETTINGS), ...FIXED };

/** Everything that can be set, and where. */
export const DECLARATION = { table: SETTINGS, prefix: 'ATTACH' } as const;

/**
 * Reads the settings from a file and environment variables, and checks them together. Without tokens every
 * caller may change every agent, so the service then listens only on loopback.
 */
export function readSettings(
  environment: SettingsSources['environment'] = process.env,
  file?: string,
): ServiceSettings<Settings> {
  return readService(DECLARATION, { file, environment }, settingsProblems, FIXED);
}

/** Returns the problems of settings together, one sentence each. */
export function settingsProblems(values: Values): string[] {
  return [
    ...serverTlsProblems(values),
    ...registryProblems(values),
    ...limitProblems(values),
    ...accessProblems(values),
  ];
}

function accessProblems({ tokens, host, lettaBaseUrl, lettaPassword }: Values): string[] {
  const problems: string[] = [];
  if (tokens.length === 0 && !isLoopback(host)) {
    problems.push(
      'server.tokens must be set when server.host can be reached from other machines: without it, every caller may change every agent.',
    );
  }
  if (lettaBaseUrl === '' && lettaPassword !== '')
    problems.push('letta.base_url must be set when letta.password is.');
  return problems;
}

function limitProblems({ maxTotalTools, maxMcpTools, minMcpTools }: Values): string[] {
  const problems: string[] = [];
  if (maxMcpTools > maxTotalTools) problems.push('max_mcp_tools must not be above max_total_tools.');
  if (minMcpTools > maxMcpTools) problems.push('min_mcp_tools must not be above max_mcp_tools.');
  return problems;
}
