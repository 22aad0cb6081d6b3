import { setImmediate as nextTurn } from 'node:timers/promises';
import { waitFor } from '@winnow/service';
import type { Embedder } from './embedder.ts';
import type { EmbedderSettings } from './embedder-settings.ts';
import type { EmbeddingFailure } from './embedding-error.ts';
import type { MeaningState } from './meaning-health.ts';
import { Meanings, type MeaningsOptions } from './meanings.ts';
import { modelId } from './model-id.ts';
import { openEmbedder } from './open-embedder.ts';
import type { SharedVectors } from './shared-vectors.ts';
import { type Notes, VectorNotes } from './vector-notes.ts';

/** What a log line says beside its event. */
type LogFields = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

/** What meaning takes from the service around it. */
export interface MeaningSurroundings extends Pick<MeaningsOptions, 'now'> {
  /** The setting that names the embedder, for messages. */
  readonly setting: string;
  readonly deadline?: MeaningsOptions['deadline'] | undefined;
  readonly wait?: MeaningsOptions['wait'] | undefined;
  /** A file or folder from which the libraries of a local model are looked for. */
  readonly librariesFrom?: string | undefined;
  /** Opens where vectors are shared with other processes; not called without an embedder. For one party alone. */
  readonly share?: (() => SharedVectors | undefined) | undefined;
  /** Is told once when vectors stop coming, and once when they come again. */
  readonly log: {
    write(level: 'info' | 'warn', event: string, fields: LogFields): void;
  };
  readonly countFailure: (reason: EmbeddingFailure) => void;
  readonly describeError: (error: unknown) => LogFields;
}

/** The meanings of several parties that may learn nothing of one another, by one model. */
export interface SharedMeanings {
  /** Vectors held, and their memory in bytes, of all parties. */
  readonly size: number;
  readonly bytes: number;
  /** Whether vectors have stopped coming for somebody. */
  readonly isFailing: boolean;
  /** One more party's: its vectors are its own, and take a part of the memory that the settings give to all. Those of tools are kept in `notes`, where there are any. */
  open(notes?: Notes): Meanings;
  /** Closes the model and all that were opened. */
  close(): Promise<void>;
}

/**
 * Meaning, by the embedder that the settings name; undefined without one. Of `parties`, each gets an equal part of the memory.
 *
 * @throws an error that names the setting when the embedder cannot be used.
 */
export function openMeanings(
  settings: EmbedderSettings,
  surroundings: MeaningSurroundings,
  parties = 1,
): SharedMeanings | undefined {
  if (settings.embedder === '') return undefined;
  const embedder = open(settings, surroundings);
  // The model is closed once, by whoever opened it for all.
  const shared: Embedder = {
    batchSize: embedder.batchSize,
    embed: (texts, call) => embedder.embed(texts, call),
    close: async () => {},
  };
  const { now, deadline = AbortSignal.timeout, wait = waitFor } = surroundings;
  const vectors = surroundings.share?.();
  const opened: Meanings[] = [];
  let model: Promise<string> | undefined;
  const total = (read: (meanings: Meanings) => number) =>
    opened.reduce((sum, meanings) => sum + read(meanings), 0);
  return {
    get size() {
      return total(({ size }) => size);
    },
    get bytes() {
      return total(({ bytes }) => bytes);
    },
    get isFailing() {
      return opened.some(({ isFailing }) => isFailing);
    },
    open(notes) {
      if (notes) model ??= modelId(settings.embedder);
      const meanings = new Meanings({
        embedder: shared,
        notes:
          notes &&
          new VectorNotes(notes, model!, (error) =>
            surroundings.log.write('warn', 'vectors_not_kept', surroundings.describeError(error)),
          ),
        shared: vectors,
        maxBytes: Math.floor(settings.embedderCacheBytes / parties),
        budgetMs: settings.embedderBudgetMs,
        now,
        deadline,
        wait,
        pause: nextTurn,
        onChange: (state) => tell(state, surroundings),
      });
      opened.push(meanings);
      return meanings;
    },
    async close() {
      await Promise.all(opened.map((meanings) => meanings.close()));
      vectors?.close();
      await embedder.close();
    },
  };
}

function tell(state: MeaningState, { log, countFailure, describeError }: MeaningSurroundings): void {
  if (state.kind === 'working') {
    log.write('info', 'meaning_works', {});
    return;
  }
  const { reason, cause } = state;
  countFailure(reason);
  log.write('warn', 'meaning_fails', { reason, ...(cause !== undefined && describeError(cause)) });
}

function open(
  { embedder, embedderKey }: EmbedderSettings,
  { setting, librariesFrom }: MeaningSurroundings,
): Embedder {
  try {
    return openEmbedder(embedder, { key: embedderKey, ...(librariesFrom && { librariesFrom }) });
  } catch (error) {
    throw new Error(`${setting}: ${(error as Error).message}`, { cause: error });
  }
}
