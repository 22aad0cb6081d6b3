import {
  checkEmbedder,
  type EmbeddingFailure,
  modelId,
  openMeanings,
  RedisVectors,
  readEmbedderAddress,
  type SharedMeanings,
  type SharedVectors,
} from '@winnow/embeddings';
import { causeCode, connectRedis, parseRedisUrl, readClientTls } from '@winnow/service';
import type { Config, Settings } from '../config/config.ts';
import { rolloutModes } from '../config/profiles.ts';
import { STRATEGIES } from '../strategies/index.ts';
import type { LocalMeaning } from './local.ts';

/** A log line about the embedder, or the Redis of its vectors, without its time. */
export interface EmbedderEvent {
  readonly event: 'meaning_fails' | 'meaning_works' | 'vector_store_away' | 'vector_store_back';
  /** The reason for missing vectors. */
  readonly reason?: EmbeddingFailure;
  /** The problem of the Redis. */
  readonly problem?: string;
  /** The system's code of a transport error, such as `ECONNREFUSED`. */
  readonly cause?: string;
}

/** Effects that search by meaning needs. */
export interface LocalMeaningEffects {
  /** A monotonic clock in milliseconds. */
  readonly now: () => number;
  /** Returns a signal that aborts after a time in milliseconds. */
  readonly deadline: (timeoutMs: number) => AbortSignal;
  /** Called once when vectors stop arriving or cannot be shared, and once when this is over. */
  readonly onEmbedder: (event: EmbedderEvent) => void;
  /** A file or folder to search for a local model's libraries; Node's own rules apply if missing. */
  readonly librariesFrom?: string | undefined;
}

/** Search by meaning, ready for use, with its state. */
export interface OpenLocalMeaning extends LocalMeaning {
  readonly state: SharedMeanings;
}

/**
 * Opens search by meaning; undefined unless an embedder is set and this process searches itself. All clients share
 * the vectors, as in the selector: a vector depends only on a tool's text and the model, and is never revealed.
 *
 * @throws an error that names the setting if the embedder cannot be used, even if nothing is searched.
 */
export function openLocalMeaning(
  config: Pick<Config, 'settings' | 'profiles'>,
  { now, deadline, onEmbedder, librariesFrom }: LocalMeaningEffects,
): OpenLocalMeaning | undefined {
  const { settings } = config;
  const address = settings['embedder.address'];
  if (address === '' || STRATEGIES[settings['tools.strategy']].search !== 'local') return undefined;
  if (!isSearching(config)) {
    check(address, librariesFrom);
    return undefined;
  }
  const state = openMeanings(
    {
      embedder: address,
      embedderKey: settings['embedder.api_key'],
      embedderBudgetMs: settings['embedder.budget'],
      embedderCacheBytes: settings['embedder.max_memory'],
    },
    {
      ...{ setting: 'embedder.address', now, deadline, librariesFrom },
      log: { write: (_level, event, fields) => onEmbedder({ ...fields, event } as EmbedderEvent) },
      countFailure: () => {},
      share: () => shareVectors(settings, { now, deadline, onEmbedder }),
      describeError(error) {
        const cause = causeCode(error);
        return cause === undefined ? {} : { cause };
      },
    },
  )!;
  const isEndpoint = readEmbedderAddress(address)?.kind === 'endpoint';
  return {
    state,
    meanings: state.open(),
    secretDescriptions: isEndpoint ? settings['tools.redact.descriptions'] : [],
  };
}

/**
 * Opens the Redis of `redis.url`, if set, over a separate connection: its failures do not affect sessions.
 */
function shareVectors(
  settings: Settings,
  { now, deadline, onEmbedder }: Pick<LocalMeaningEffects, 'now' | 'deadline' | 'onEmbedder'>,
): SharedVectors | undefined {
  const parsed = parseRedisUrl(settings['redis.url']);
  if (settings['redis.url'] === '' || !parsed.ok) return undefined;
  const tls = readClientTls('redis', {
    ca_file: settings['redis.ca_file'],
    cert_file: settings['redis.cert_file'],
    key_file: settings['redis.key_file'],
  });
  return new RedisVectors({
    model: modelId(settings['embedder.address']),
    connect: (listener) => connectRedis(parsed.address, tls, listener),
    keyPrefix: settings['redis.key_prefix'],
    now,
    deadline,
    onChange: ({ kind, ...more }) => onEmbedder({ event: `vector_store_${kind}`, ...more }),
  });
}

/** Whether this process searches with these settings. */
function isSearching(config: Pick<Config, 'settings' | 'profiles'>): boolean {
  if (!config.settings['tools.enabled']) return false;
  const isOn = [...rolloutModes(config)].some((mode) => mode !== 'off');
  return isOn || config.settings['rollout.allow_override'];
}

function check(address: string, librariesFrom: string | undefined): void {
  try {
    checkEmbedder(address, librariesFrom === undefined ? {} : { librariesFrom });
  } catch (error) {
    throw new Error(`embedder.address: ${(error as Error).message}`, { cause: error });
  }
}
