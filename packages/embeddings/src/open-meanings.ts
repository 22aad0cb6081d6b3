import { setImmediate as nextTurn } from 'node:timers/promises';
import { type MetricsRegistry, SHARED, waitFor } from '@winnow/service';
import type { Embedder } from './embedder.ts';
import type { EmbedderSettings } from './embedder-settings.ts';
import { Meanings, type MeaningsOptions } from './meanings.ts';
import { openEmbedder } from './open-embedder.ts';
import type { MeaningState } from './vector-calls.ts';

/** Memory for the vectors of all parties, in bytes: enough for 200,000 tools with 384 dimensions, at some 640 each. */
const VECTOR_BYTES = 128 * 2 ** 20;

/**
 * Time that a search waits for the vector of its query before words decide, in milliseconds: a local model takes some
 * 10, an endpoint in the cloud up to 250.
 */
const BUDGET_MS = 300;

/** Fields of a log line, besides its event. */
type LogFields = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

/** Dependencies from the surrounding service. */
export interface MeaningSurroundings extends Pick<MeaningsOptions, 'now'> {
  /** The setting that names the embedder, for messages. */
  readonly setting: string;
  readonly deadline?: MeaningsOptions['deadline'] | undefined;
  readonly wait?: MeaningsOptions['wait'] | undefined;
  /** The file or folder from which a local model's libraries are resolved. */
  readonly librariesFrom?: string | undefined;
  /** Called once when vectors stop arriving, and once when they arrive again. */
  readonly log: {
    write(level: 'info' | 'warn', event: string, fields: LogFields): void;
  };
  readonly describeError: (error: unknown) => LogFields;
}

/** Meanings of several mutually isolated parties, by one model. */
export interface SharedMeanings {
  /** Vectors held and their memory in bytes, over all parties. */
  readonly size: number;
  readonly bytes: number;
  /** Whether vectors have stopped arriving for any party. */
  readonly isFailing: boolean;
  /** Opens the meanings of one more party, with its own vectors and its share of the memory. */
  open(): Meanings;
  /** Closes the model and all opened meanings. */
  close(): Promise<void>;
}

/**
 * Opens the embedder that the settings name; undefined without one. Each of the `parties` gets an equal share
 * of the memory.
 *
 * @throws an error that names the setting if the embedder is unusable.
 */
export function openMeanings(
  settings: EmbedderSettings,
  surroundings: MeaningSurroundings,
  parties = 1,
): SharedMeanings | undefined {
  if (settings.embedder === '') return undefined;
  const embedder = open(settings, surroundings);
  // The shared model is closed once, by its owner.
  const shared: Embedder = {
    batchSize: embedder.batchSize,
    knows: (text) => embedder.knows?.(text) ?? true,
    embed: (texts, call) => embedder.embed(texts, call),
    close: async () => {},
  };
  const { now, deadline = AbortSignal.timeout, wait = waitFor } = surroundings;
  const opened: Meanings[] = [];
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
    open() {
      const meanings = new Meanings({
        embedder: shared,
        maxBytes: Math.floor(VECTOR_BYTES / parties),
        budgetMs: BUDGET_MS,
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
      await embedder.close();
    },
  };
}

function tell(state: MeaningState, { log, describeError }: MeaningSurroundings): void {
  if (state.kind === 'working') {
    log.write('info', 'meaning_works', {});
    return;
  }
  const { reason, cause } = state;
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

/** Adds the embedding metric that all services share: 0 while `read` returns undefined, as it does without an embedder. */
export function createMeaningMetrics(
  registry: MetricsRegistry,
  read: () => Pick<SharedMeanings, 'isFailing'> | undefined,
): void {
  const help = '1 while the embedder fails.';
  registry.watch({ embedder_failing: [help, () => Number(read()?.isFailing ?? false)] }, SHARED);
}
