import { setImmediate as nextTurn } from 'node:timers/promises';
import { Agent, at, describeError, type Log, readClientTls, setting, waitFor } from '@winnow/service';
import type { FollowedTools } from './followed-tools.ts';
import { createRegistryClient } from './registry-client.ts';
import type { RegistryFailureReason } from './registry-failure.ts';
import { RegistryFollower } from './registry-follower.ts';

/** Which registry is followed, as settings name it. */
export interface RegistryAddress {
  /** Its address, such as `https://registry:8789`; empty for none. */
  readonly registry: string;
  /** Sent as a bearer token; empty to send none. What it may see is what is known. */
  readonly registryToken: string;
  readonly registryCaFile: string;
  readonly registryCertFile: string;
  readonly registryKeyFile: string;
}

/** The settings of a registry that a service follows. `prefix` begins the variables of the service. */
export function registrySettings(prefix: string) {
  return {
    registry: at('registry.url', setting.url(''), `${prefix}_REGISTRY`),
    registryToken: at('registry.token', setting.secret()),
    registryCaFile: at('registry.ca_file', setting.file('')),
    registryCertFile: at('registry.cert_file', setting.file('')),
    registryKeyFile: at('registry.key_file', setting.file('')),
  } as const;
}

/** Problems of these settings together, one sentence each. */
export function registryProblems(address: RegistryAddress): string[] {
  const { registry, registryToken, registryCaFile, registryCertFile, registryKeyFile } = address;
  if (registry === '') {
    const isSet = [registryToken, registryCaFile, registryCertFile, registryKeyFile].some(
      (one) => one !== '',
    );
    return isSet ? ['registry.url must be set when another registry. setting is.'] : [];
  }
  if ((registryCertFile === '') === (registryKeyFile === '')) return [];
  const [missing, given] = registryKeyFile === '' ? ['key', 'cert'] : ['cert', 'key'];
  return [`registry.${missing}_file must be set when registry.${given}_file is.`];
}

/** One for the feed of changes, one for what is read beside it. */
const CONNECTIONS = 2;

/** Connections to the registry that the settings name; undefined without one. Throws an error that names the setting when a file is no good. */
export function openRegistryAgent(settings: RegistryAddress): Agent | undefined {
  if (settings.registry === '') return undefined;
  const tls = readClientTls('registry', {
    ca_file: settings.registryCaFile,
    cert_file: settings.registryCertFile,
    key_file: settings.registryKeyFile,
  });
  return new Agent({ connections: CONNECTIONS, pipelining: 1, connect: { ...tls } });
}

/** What following needs of the service. */
export interface FollowContext<Tools extends FollowedTools> {
  readonly agent: Agent;
  readonly tools: Tools;
  /** With more than these the registry is not followed. */
  readonly maxTools: number;
  readonly effects: {
    readonly now: () => number;
    readonly random?: () => number;
    readonly wait?: (ms: number, signal: AbortSignal) => Promise<void>;
  };
  readonly log: Log;
  /** All tools were read. */
  readonly onListed: () => void;
  readonly onFailure: (reason: RegistryFailureReason) => void;
}

/** A follower of the registry that the settings name, which has not begun. That it is away is logged once for each reason. */
export function followRegistry<Tools extends FollowedTools>(
  { registry, registryToken }: Pick<RegistryAddress, 'registry' | 'registryToken'>,
  { agent, tools, maxTools, effects, log, onListed, onFailure }: FollowContext<Tools>,
): RegistryFollower<Tools> {
  /** Why it is not followed: said once, until it is again or the reason is another one. */
  let told: RegistryFailureReason | undefined;
  const client = createRegistryClient({ url: registry, token: registryToken }, agent);
  const follower: RegistryFollower<Tools> = new RegistryFollower(client, tools, {
    maxTools,
    now: effects.now,
    random: effects.random ?? Math.random,
    wait: effects.wait ?? waitFor,
    pause: nextTurn,
    onListed,
    onFollowing() {
      told = undefined;
      const { version, tools: count } = follower.status;
      log.write('info', 'registry_followed', { version: String(version), tools: count });
    },
    onFailure({ reason, message, cause }) {
      onFailure(reason);
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
