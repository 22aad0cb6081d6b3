import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  at,
  describeError,
  type HttpPool,
  type Log,
  type MetricsRegistry,
  openHttpPool,
  readClientTls,
  SHARED,
  setting,
  waitFor,
} from '@winnow/service';
import { createRegistryClient, type RegistryFailureReason } from './registry-client.ts';
import { type FollowedTools, RegistryFollower, type RegistryStatus } from './registry-follower.ts';

/** The registry that a service follows, as named in its settings. */
export interface RegistryAddress {
  /** Its address, such as `https://registry:8789`; empty for none. */
  readonly registry: string;
  /** The bearer token; empty to send none. The follower knows only the tools that the token may see. */
  readonly registryToken: string;
  /** The folder of `client.tls_folder`; empty for none. */
  readonly clientTlsFolder: string;
}

/**
 * Returns the settings of a registry that a service follows.
 */
export function registrySettings() {
  return {
    registry: at('registry.url', setting.url('')),
    registryToken: at('registry.token', setting.secret('every_request')),
  } as const;
}

/** Returns the problems of these settings together, one sentence each. */
export function registryProblems({ registry, registryToken }: RegistryAddress): string[] {
  const isAlone = registry === '' && registryToken !== '';
  return isAlone ? ['registry.url must be set when registry.token is.'] : [];
}

/** One connection for the feed of changes, one for reading tools. */
const CONNECTIONS = 2;

/**
 * Opens connections to the registry in the settings; undefined without one. Throws an error that names the
 * setting when a file is invalid.
 */
export function openRegistryAgent(settings: RegistryAddress): HttpPool | undefined {
  if (settings.registry === '') return undefined;
  const connect = { ...readClientTls(settings.clientTlsFolder) };
  return openHttpPool({ connections: CONNECTIONS, pipelining: 1, connect });
}

/** The parts of a service that following needs. */
export interface FollowContext<Tools extends FollowedTools> {
  readonly agent: HttpPool;
  readonly tools: Tools;
  /** The most tools; the registry is not followed if it has more. */
  readonly maxTools: number;
  readonly effects: {
    readonly now: () => number;
    readonly random?: () => number;
    readonly wait?: (ms: number, signal: AbortSignal) => Promise<void>;
  };
  readonly log: Log;
}

/**
 * Returns a follower of the registry in the settings; the caller starts it. The log has one entry for each
 * reason of an outage.
 */
export function followRegistry<Tools extends FollowedTools>(
  { registry, registryToken }: Pick<RegistryAddress, 'registry' | 'registryToken'>,
  { agent, tools, maxTools, effects, log }: FollowContext<Tools>,
): RegistryFollower<Tools> {
  /** The reason logged last. It is logged once, until following succeeds or the reason changes. */
  let told: RegistryFailureReason | undefined;
  const client = createRegistryClient({ url: registry, token: registryToken }, agent);
  const follower: RegistryFollower<Tools> = new RegistryFollower(client, tools, {
    maxTools,
    now: effects.now,
    random: effects.random ?? Math.random,
    wait: effects.wait ?? waitFor,
    pause: nextTurn,
    onFollowing() {
      told = undefined;
      const { version, tools: count } = follower.status;
      log.write('info', 'registry_followed', { version: String(version), tools: count });
    },
    onFailure({ reason, message, cause }) {
      if (reason === told) return;
      told = reason;
      const { state } = follower.status;
      log.write('warn', 'registry_away', {
        reason,
        problem: message,
        state,
        ...(cause !== undefined && describeError(cause)),
      });
    },
  });
  return follower;
}

/**
 * Adds the metrics that every follower has of its registry. All are 0 while `read` returns undefined, as it
 * does without a registry.
 */
export function createFollowerMetrics(
  registry: MetricsRegistry,
  read: () => RegistryStatus | undefined,
): void {
  const table = {
    followed_tools: ['Tools of the followed registry.', () => read()?.tools ?? 0],
    registry_away_seconds: [
      'Seconds since the registry was last followed; 0 while it is followed.',
      () => (read()?.awayMs ?? 0) / 1_000,
    ],
  } as const;
  registry.watch(table, SHARED);
}
