import type { Meanings, SearchMeaning, Texts } from '@winnow/embeddings';
import {
  buildCatalogue,
  type Catalogue,
  type MeaningSource,
  meaningText,
  type Pause,
  selectTools,
} from '@winnow/ranking';
import { RecentMap } from '@winnow/service';
import type { Search } from './search.ts';

/** Options of the proxy's own search. */
interface LocalSearchOptions {
  /** Yields to other work between two slices of a long search. */
  readonly pause: Pause;
  /** Ranks by meaning as well; without it, only words decide. */
  readonly meaning?: LocalMeaning | undefined;
}

/** Search by meaning within this process. */
export interface LocalMeaning {
  /** Shared by all clients: a vector depends only on a tool's text and the model. */
  readonly meanings: Pick<Meanings, 'learn' | 'search'>;
  /** Tools whose descriptions are not sent to an endpoint. */
  readonly secretDescriptions: readonly string[];
}

/** Maximum number of cached catalogues; clients with the same tools share one. */
const MAX_CATALOGUES = 64;

/** Their total memory, by their own count. */
const MAX_CATALOGUE_BYTES = 48 * 1024 * 1024;

interface Held {
  readonly catalogue: Catalogue;
  /** Undefined without search by meaning. */
  readonly texts: Texts | undefined;
}

/**
 * Creates a search within this process by the ranking package; patterns are interpreted like the selector's
 * `auto`.
 *
 * Keeps the indexes of the last 64 catalogues by their hash, at most 48 MiB of them. With meaning, a
 * catalogue is embedded in the background from its first search on; a search waits for the embedder's budget
 * at most, and falls back to words.
 */
export function localSearch({ pause, meaning }: LocalSearchOptions): Search {
  const held = new RecentMap<string, Held>(MAX_CATALOGUES, {
    most: MAX_CATALOGUE_BYTES,
    weigh: (_, { catalogue }) => catalogue.bytes,
  });
  const isSecret = (name: string) => meaning?.secretDescriptions.includes(name) === true;
  return async ({ queries, searchable, signal, searchType = 'auto', limit: topK }) => {
    if (queries.every((query) => query.trim() === '')) return { ok: false, reason: 'empty_query' };
    if (signal.aborted) return { ok: false, reason: 'client_gone' };
    const { catalogue, texts } = held.getOrAdd(searchable.id, () => {
      const built = buildCatalogue(searchable.tools);
      return { catalogue: built, texts: meaning && catalogueTexts(built, isSecret) };
    });
    const meant = texts && meaningOf(texts, meaning!);
    const pauseWhileWanted = async () => {
      await pause();
      signal.throwIfAborted();
    };
    try {
      const toolQuery = { pattern: queries, topK, alwaysKeep: [], searchType, needsCertaintyOnly: true };
      const asked = { ...toolQuery, ...(meant && { meaning: whileWanted(meant, signal) }) };
      const { names, scores, noMatch, certainty, unknownWords, byPattern } = await selectTools(
        catalogue,
        asked,
        pauseWhileWanted,
      );
      return {
        ok: true,
        names,
        scores,
        isNoMatch: noMatch,
        ...(certainty === 'weak' && { isWeak: true }),
        ...(unknownWords.length > 0 && { unknownWords }),
        ...(byPattern && { byQuery: byPattern }),
      };
    } catch (error) {
      // Selecting rejects only if a pause or waiting for vectors does.
      if (signal.aborted) return { ok: false, reason: 'client_gone' };
      throw error;
    }
  };
}

function meaningOf(texts: Texts, { meanings }: LocalMeaning): SearchMeaning {
  meanings.learn(texts, texts);
  return meanings.search(texts);
}

/** Wraps a source so that it rejects as soon as the client leaves. */
function whileWanted(source: MeaningSource, signal: AbortSignal): MeaningSource {
  const orGone = async <Value>(ask: () => Promise<Value>): Promise<Value> => {
    const { promise: gone, reject } = Promise.withResolvers<never>();
    const leave = () => reject(signal.reason);
    signal.addEventListener('abort', leave, { once: true });
    try {
      return await Promise.race([ask(), gone]);
    } finally {
      signal.removeEventListener('abort', leave);
    }
  };
  return {
    vectorsOf: (query, positions) => orGone(() => source.vectorsOf(query, positions)),
    nearest: (query, search) => orGone(async () => source.nearest?.(query, search)),
  };
}

/**
 * Returns the texts that represent a catalogue's tools for search by meaning. They hold the catalogue weakly:
 * pending texts of a released catalogue are skipped.
 *
 * @param isSecret whether a tool's description is withheld.
 */
export function catalogueTexts(catalogue: Catalogue, isSecret: (name: string) => boolean): Texts {
  const held = new WeakRef(catalogue);
  return {
    count: catalogue.positions,
    table: {},
    textOf(position) {
      const essence = held.deref()?.table.essence(position);
      if (essence === undefined) return undefined;
      return meaningText(isSecret(essence.name) ? { name: essence.name, description: '' } : essence);
    },
  };
}
