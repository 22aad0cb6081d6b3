import {
  checkEmbedder,
  type EmbeddingFailure,
  openMeanings,
  readEmbedderAddress,
  type SharedMeanings,
} from '@winnow/embeddings';
import { causeCode } from '@winnow/service';
import type { Config } from '../config/config.ts';
import { rolloutModes } from '../config/profiles.ts';
import { STRATEGIES } from '../strategies/index.ts';
import type { LocalMeaning } from './local.ts';

/** A log line about the embedder, without its time. */
export interface EmbedderEvent {
  readonly event: 'meaning_fails' | 'meaning_works';
  /** The reason for missing vectors. */
  readonly reason?: EmbeddingFailure;
  /** The system's code of a transport error, such as `ECONNREFUSED`. */
  readonly cause?: string;
}

/** Effects that search by meaning needs. */
export interface LocalMeaningEffects {
  /** A monotonic clock in milliseconds. */
  readonly now: () => number;
  /** Returns a signal that aborts after a time in milliseconds. */
  readonly deadline: (timeoutMs: number) => AbortSignal;
  /** Called once when vectors stop arriving, and once when they arrive again. */
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
    },
    {
      ...{ setting: 'embedder.address', now, deadline, librariesFrom },
      log: { write: (_level, event, fields) => onEmbedder({ ...fields, event } as EmbedderEvent) },
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

/** Whether this process searches with these settings. */
function isSearching(config: Pick<Config, 'settings' | 'profiles'>): boolean {
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
