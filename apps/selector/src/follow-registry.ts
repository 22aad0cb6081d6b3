import { setImmediate as nextTurn } from 'node:timers/promises';
import { describeError, type Log } from '@winnow/json-api';
import { Agent, readClientTls, waitFor } from '@winnow/service';
import type { Settings } from './config.ts';
import type { Metrics } from './metrics.ts';
import { createRegistryClient } from './registry/registry-client.ts';
import type { RegistryFailureReason } from './registry/registry-failure.ts';
import { RegistryFollower } from './registry/registry-follower.ts';

/** One for the feed of changes, one for what is read beside it. */
const CONNECTIONS = 2;

/** Connections to the registry that the settings name; undefined without one. Throws an error that names the setting when a file is no good. */
export function openRegistryAgent(settings: Settings): Agent | undefined {
  if (settings.registry === '') return undefined;
  const tls = readClientTls((field) => `SELECTOR_REGISTRY_${field.toUpperCase()}`, {
    ca_file: settings.registryCaFile,
    cert_file: settings.registryCertFile,
    key_file: settings.registryKeyFile,
  });
  return new Agent({ connections: CONNECTIONS, pipelining: 1, connect: { ...tls } });
}

/** What following needs of the service. */
export interface FollowContext {
  readonly agent: Agent;
  readonly effects: {
    readonly now: () => number;
    readonly random?: () => number;
    readonly wait?: (ms: number, signal: AbortSignal) => Promise<void>;
  };
  readonly metrics: Metrics;
  readonly log: Log;
}

/** A follower of the registry that the settings name, which has not begun. */
export function followRegistry(
  settings: Settings,
  { agent, effects, metrics, log }: FollowContext,
): RegistryFollower {
  /** Why it is not followed: said once, until it is again or the reason is another one. */
  let told: RegistryFailureReason | undefined;
  const follower: RegistryFollower = new RegistryFollower(
    createRegistryClient({ url: settings.registry, token: settings.registryToken }, agent),
    settings.maxTools,
    {
      now: effects.now,
      random: effects.random ?? Math.random,
      wait: effects.wait ?? waitFor,
      pause: nextTurn,
      onListed: () => metrics.countListing(),
      onFollowing() {
        told = undefined;
        const { version, tools } = follower.status;
        log.write('info', 'registry_followed', { version: String(version), tools });
      },
      onFailure({ reason, message, cause }) {
        metrics.countRegistryFailure(reason);
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
    },
  );
  return follower;
}
