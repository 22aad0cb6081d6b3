import { setImmediate as nextTurn } from 'node:timers/promises';
import { Meanings, openEmbedder } from '@winnow/embeddings';
import { describeError, type Log } from '@winnow/json-api';
import type { Settings } from './config.ts';
import type { Metrics } from './metrics.ts';
import { waitFor } from './wait-for.ts';

/** What meaning needs of the service. */
export interface MeaningContext {
  readonly effects: {
    readonly now: () => number;
    readonly deadline?: (timeoutMs: number) => AbortSignal;
    readonly wait?: (ms: number, signal: AbortSignal) => Promise<void>;
    readonly librariesFrom?: string;
  };
  readonly metrics: Metrics;
  readonly log: Log;
}

/**
 * Meaning, by the embedder that the settings name; undefined without one.
 *
 * @throws an error that names the setting when the embedder cannot be used.
 */
export function openMeanings(
  settings: Settings,
  { effects, metrics, log }: MeaningContext,
): Meanings | undefined {
  if (settings.embedder === '') return undefined;
  const { now, deadline = AbortSignal.timeout, wait = waitFor, librariesFrom } = effects;
  return new Meanings({
    embedder: open(settings, librariesFrom),
    maxBytes: settings.embedderCacheBytes,
    budgetMs: settings.embedderBudgetMs,
    now,
    deadline,
    wait,
    pause: nextTurn,
    onChange(state) {
      if (state.kind === 'working') {
        log.write('info', 'meaning_works', {});
        return;
      }
      const { reason, cause } = state;
      metrics.countEmbedderFailure(reason);
      log.write('warn', 'meaning_fails', { reason, ...(cause !== undefined && describeError(cause)) });
    },
  });
}

function open({ embedder, embedderKey }: Settings, librariesFrom: string | undefined) {
  try {
    return openEmbedder(embedder, { key: embedderKey, ...(librariesFrom && { librariesFrom }) });
  } catch (error) {
    throw new Error(`SELECTOR_EMBEDDER: ${(error as Error).message}`, { cause: error });
  }
}
