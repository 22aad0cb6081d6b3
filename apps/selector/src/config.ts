import { registryProblems, registrySettings } from '@winnow/clients';
import { LIMITS } from '@winnow/core';
import { embedderProblems, embedderSettings } from '@winnow/embeddings';
import { RANKER_NAMES } from '@winnow/ranking';
import {
  at,
  clientSettings,
  defaultsOf,
  memoryHere,
  readService,
  type ServiceSettings,
  type SettingsSources,
  serverLimits,
  serverSettings,
  serverTlsProblems,
  setting,
  type ValuesOf,
} from '@winnow/service';

const MIB = 2 ** 20;

/**
 * All settings: the only place for names, defaults and bounds. `docs/reference/selector.md` explains them.
 */
export const SETTINGS = {
  ...serverSettings(8788),
  tokens: at('server.tokens', setting.bearerTokens()),
  ranker: at('ranker', setting.oneOf(RANKER_NAMES, 'bm25')),
  ...embedderSettings(),
  ...registrySettings(),
  ...clientSettings(),
  // An empty value may count as unset, because it grants nothing.
  registryCallers: at('registry.callers', { ...setting.bearerTokens(), readsEmpty: false }),
} as const;

/** Limits that no setting changes. */
const FIXED = {
  ...serverLimits({ maxBodyBytes: 8 * MIB, maxHeldBytes: 256 * MIB, drainTimeoutMs: 10_000 }),
  /** The most tools of one request. */
  maxTools: LIMITS.tools as number,
  /** Memory of catalogues and their indexes, in bytes: in a container of 512 MiB, 32 MiB. */
  cacheMaxBytes: Math.min(256 * MIB, Math.floor(memoryHere() / 16)),
  /** The most catalogues that are kept. */
  cacheMaxCatalogues: 1_000,
};

/** The validated settings, with the limits. */
export type Settings = ValuesOf<typeof SETTINGS> & typeof FIXED;

export const DEFAULT_SETTINGS: Settings = { ...defaultsOf(SETTINGS), ...FIXED };

/** All settings and their sources. */
export const DECLARATION = { table: SETTINGS, prefix: 'SELECTOR' } as const;

/** Reads the settings from a file and environment variables, and validates them together. */
export function readSettings(
  environment: SettingsSources['environment'] = process.env,
  file?: string,
): ServiceSettings<Settings> {
  return readService(DECLARATION, { file, environment }, settingsProblems, FIXED);
}

/** Returns the problems of settings together, one sentence each. */
export function settingsProblems(values: ValuesOf<typeof SETTINGS>): string[] {
  return [
    ...serverTlsProblems(values),
    ...registryProblems(values),
    ...callerProblems(values),
    ...rankerProblems(values),
    ...embedderProblems(values),
  ];
}

/** Returns conflicts of the ranker, one sentence each: only indexes of `bm25` follow the changes of a registry. */
function rankerProblems({ ranker, registry }: Pick<Settings, 'ranker' | 'registry'>): string[] {
  return ranker === 'bm25' || registry === '' ? [] : ['ranker must be bm25 when registry.url is set.'];
}

/** Returns problems with the callers that may search a registry, one sentence each. */
function callerProblems({ registry, tokens, registryCallers: callers }: ValuesOf<typeof SETTINGS>): string[] {
  if (registry === '') {
    const isSet = callers.length > 0;
    return isSet ? ['registry.url must be set when registry.callers is.'] : [];
  }
  const problems: string[] = [];
  if (tokens.length > 0 && callers.length === 0) {
    problems.push(
      'registry.callers must be set when registry.url and server.tokens are: without it, no caller could search the registry.',
    );
  }
  if (callers.some((token) => !tokens.includes(token))) {
    problems.push('registry.callers must hold tokens that are in server.tokens as well.');
  }
  return problems;
}
