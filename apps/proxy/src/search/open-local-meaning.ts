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
import { connectRedis, parseRedisUrl } from '@winnow/redis';
import { causeCode, readClientTls } from '@winnow/service';
import type { Config, Settings } from '../config/config.ts';
import { STRATEGIES } from '../strategies/index.ts';
import type { LocalMeaning } from './local.ts';

/** A log line on the embedder, or on the Redis of its vectors, without its time. */
export interface EmbedderEvent {
  readonly event: 'meaning_fails' | 'meaning_works' | 'vector_store_away' | 'vector_store_back';
  /** Why vectors do not come. */
  readonly reason?: EmbeddingFailure;
  /** What is wrong with the Redis. */
  readonly problem?: string;
  /** The system's code where that failed on the wire, such as `ECONNREFUSED`. */
  readonly cause?: string;
}

/** What meaning takes from the world around it. */
export interface LocalMeaningEffects {
  /** Milliseconds that only ever grow. */
  readonly now: () => number;
  /** A signal that aborts after so many milliseconds. */
  readonly deadline: (timeoutMs: number) => AbortSignal;
  /** Told once when vectors stop coming or cannot be shared, and once when that is over. */
  readonly onEmbedder: (event: EmbedderEvent) => void;
  /** A file or folder from which the libraries of a local model are looked for; by Node's own rules when it is missing. */
  readonly librariesFrom?: string | undefined;
}

/** Meaning that is ready for searches, and what can be told of it. */
export interface OpenLocalMeaning extends LocalMeaning {
  readonly state: SharedMeanings;
}

/** What searches are for: exchanges, or the thread that observes them. Each has vectors of its own. */
export type SearchUse = 'exchanges' | 'observation';

/**
 * Meaning for the searches of one use, where an embedder is set and this process searches by itself; undefined elsewhere. Vectors are shared by all clients, as
 * they are in the selector: one follows from a tool's text and the model alone, and nobody is told of it.
 *
 * @throws an error that names the setting when the embedder cannot be used, also where only the other use would have it.
 */
export function openLocalMeaning(
  { settings }: Pick<Config, 'settings'>,
  use: SearchUse,
  { now, deadline, onEmbedder, librariesFrom }: LocalMeaningEffects,
): OpenLocalMeaning | undefined {
  const address = settings['embedder.address'];
  if (address === '' || STRATEGIES[settings['tools.strategy']].search !== 'local') return undefined;
  if (!usesOf(settings).includes(use)) {
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

/** The Redis of `redis.url`, where it is set, over a connection of its own: nothing that it lacks or loses touches sessions. */
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

/** What this process searches for with these settings. */
function usesOf(settings: Settings): readonly SearchUse[] {
  if (!settings['tools.enabled']) return [];
  if (settings['rollout.allow_override']) return ['exchanges', 'observation'];
  return USES[settings['rollout.mode']];
}

const USES: Readonly<Record<Settings['rollout.mode'], readonly SearchUse[]>> = {
  off: [],
  dark: ['observation'],
  shadow: ['observation'],
  partial: ['exchanges', 'observation'],
  full: ['exchanges'],
};

function check(address: string, librariesFrom: string | undefined): void {
  try {
    checkEmbedder(address, librariesFrom === undefined ? {} : { librariesFrom });
  } catch (error) {
    throw new Error(`embedder.address: ${(error as Error).message}`, { cause: error });
  }
}
