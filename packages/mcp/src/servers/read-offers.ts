import { removeInvisible } from '@winnow/core';
import { toServerProblem } from './failures.ts';
import { OFFER_LIMITS, OFFER_LISTS, type Offer, type OfferKind, type OfferList } from './offers.ts';
import { type ListReading, type ReadList, readList } from './read-list.ts';
import type { ServerConnection } from './server-connection.ts';

export interface ReadOffers {
  readonly offers: readonly Offer[];
  /** Kinds whose list could not be read. */
  readonly failed: ReadonlySet<OfferKind>;
  readonly leftOut: readonly { readonly tool: string; readonly reason: string }[];
  /** The shortest lifetime of the lists; undefined when none was given. */
  readonly ttlMs: number | undefined;
}

/**
 * Reads everything that a server offers in addition to tools. Never rejects: a list that cannot be read is named, as the tools of its server
 * must not suffer for it.
 */
export async function readOffers(
  connection: Pick<ServerConnection, 'features' | 'instructions'>,
  {
    pause,
    readPage,
  }: Pick<ListReading, 'pause'> & {
    readonly readPage: (list: OfferList, cursor: string | undefined) => Promise<unknown>;
  },
): Promise<ReadOffers> {
  const { features, instructions } = connection;
  const wanted = OFFER_LISTS.filter(({ kind }) =>
    kind === 'prompt' ? features.prompts : features.resources,
  );
  const outcomes = await Promise.all(
    wanted.map(async (list) => {
      try {
        return { list, read: await readList({ pause, readPage: (cursor) => readPage(list, cursor) }, list) };
      } catch (error) {
        return { list, problem: toServerProblem(error) };
      }
    }),
  );
  const offers: Offer[] = [];
  const failed = new Set<OfferKind>();
  const leftOut: ReadOffers['leftOut'][number][] = [];
  let ttlMs: number | undefined;
  for (const { list, read, problem } of outcomes) {
    if (read !== undefined) {
      offers.push(...toOffers(read, list));
      leftOut.push(...read.leftOut);
      if (read.ttlMs !== undefined) ttlMs = Math.min(ttlMs ?? read.ttlMs, read.ttlMs);
      // Servers with resources need not know templates.
    } else if (list.kind !== 'template' || problem.code !== 'refused') {
      failed.add(list.kind);
      leftOut.push({ tool: list.method, reason: problem.message });
    }
  }
  const text = removeInvisible((instructions ?? '').slice(0, OFFER_LIMITS.instructionsChars)).trim();
  if (text !== '') offers.push({ kind: 'instructions', key: '', definition: { text } });
  return { offers, failed, leftOut, ttlMs };
}

function toOffers({ entries }: ReadList, { kind, key }: OfferList): readonly Offer[] {
  return entries.map((definition) => ({ kind, key: definition[key] as string, definition }));
}
