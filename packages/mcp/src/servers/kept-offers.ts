import { removeInvisible } from '@winnow/core';
import type { PendingDefinition } from '@winnow/registry';
import { toServerProblem } from './failures.ts';
import {
  fitsTemplate,
  type ListReading,
  OFFER_LIMITS,
  OFFER_LISTS,
  type Offer,
  type OfferKind,
  type OfferList,
  offerHash,
  offerId,
  type ReadList,
  readList,
  spellingsOf,
  wantsOffer,
  wantsUnlisted,
} from './read-list.ts';
import type { ServerConnection } from './server-connection.ts';
import type { ServerEntry } from './server-entry.ts';
import { type Reviewed, reviewedAmong, type ServerNotes } from './server-notes.ts';

/** Parts of {@link KeptOffers}. */
interface KeptOffersParts {
  readonly entry: ServerEntry;
  readonly notes: ServerNotes;
}

/** The reasons that an offer is not relayed. */
type OfferRefusal = 'not_listed' | 'excluded' | 'awaits_approval';

type LeftOut = ReadOffers['leftOut'];

/**
 * The prompts, resources, templates and instructions of one server that may be relayed: those that its entry lets pass and that
 * do not wait for approval. Kept in memory; the next reading brings them back after a start.
 */
export class KeptOffers {
  readonly #parts: KeptOffersParts;
  #listed: readonly Offer[] = [];
  #shown: readonly Offer[] = [];
  #pending: readonly PendingDefinition[] = [];
  #leftOut: LeftOut = [];
  #approved: ReadonlyMap<string, string> | undefined;
  #counts: Readonly<Record<OfferKind, number>> = countsOf([]);
  #isKnown = false;
  /** Spellings of the URIs of resources that the entry leaves out: it may name them otherwise than by their URIs. */
  #leftOutUris: ReadonlySet<string> = new Set();

  constructor(parts: KeptOffersParts) {
    this.#parts = parts;
  }

  /** Whether the server was asked for them since the start. */
  get isKnown(): boolean {
    return this.#isKnown;
  }

  /** Those that may be relayed, in the server's order. The same object until they change. */
  get shown(): readonly Offer[] {
    return this.#shown;
  }

  /** Number of those, by kind. */
  get counts(): Readonly<Record<OfferKind, number>> {
    return this.#counts;
  }

  get pending(): readonly PendingDefinition[] {
    return this.#pending;
  }

  /** Offers that cannot be relayed, and lists that could not be read. */
  get leftOut(): LeftOut {
    return this.#leftOut;
  }

  /**
   * Replaces the offers by those that were read; a list that could not be read stays. Returns the number of
   * changed offers.
   */
  async take(read: ReadOffers): Promise<number> {
    const kept = this.#listed.filter(({ kind }) => read.failed.has(kind));
    const { entry } = this.#parts;
    const leftOut = [...read.leftOut];
    const seen = new Set<string>();
    const leftOutUris: string[] = [];
    const listed = [...read.offers, ...kept].filter((offer) => {
      const fault = faultOf(offer, seen);
      if (fault !== undefined) leftOut.push({ tool: offerId(offer).slice(0, 200), reason: fault });
      seen.add(offerId(offer));
      const isWanted = wantsOffer(offer, entry);
      if (!isWanted && offer.kind === 'resource') leftOutUris.push(...spellingsOf(offer.key));
      return fault === undefined && isWanted;
    });
    if (!read.failed.has('resource')) this.#leftOutUris = new Set(leftOutUris);
    this.#leftOut = leftOut;
    const changed = await this.#show(listed);
    this.#isKnown = true;
    return changed;
  }

  /** Approves pending offers: the given ids with their reviewed digests, or all. Returns the approved ids. */
  async approve(reviewed: Reviewed): Promise<readonly string[]> {
    const agreed = reviewedAmong(this.#pending, reviewed);
    if (agreed.length === 0) return [];
    await this.#approve(agreed.map(({ id, after }) => [id, after] as const));
    await this.#show(this.#listed);
    return agreed.map(({ id }) => id);
  }

  /** Forgets all of them. Returns whether there were any. */
  clear(): boolean {
    const had = this.#shown.length > 0;
    [this.#listed, this.#shown, this.#pending, this.#leftOut] = [[], [], [], []];
    this.#counts = countsOf([]);
    return had;
  }

  /**
   * Returns why an offer is not relayed; undefined when it is. A resource that is not listed can be read, as its server decides, unless the server
   * is pinned and no approved template has its URI.
   */
  refusalOf({ kind, key }: Pick<Offer, 'kind' | 'key'>): OfferRefusal | undefined {
    const { entry } = this.#parts;
    const isIt = (offer: Offer) => offer.kind === kind && offer.key === key;
    if (this.#shown.some(isIt)) return undefined;
    if (this.#listed.some(isIt)) return 'awaits_approval';
    if (kind !== 'resource')
      return wantsOffer({ kind, key, definition: {} }, entry) ? 'not_listed' : 'excluded';
    if (key.length > OFFER_LIMITS.keyChars) return 'not_listed';
    const isLeftOut = spellingsOf(key).some((uri) => this.#leftOutUris.has(uri));
    if (isLeftOut || !wantsUnlisted(key, entry)) return 'excluded';
    return entry.isPinned && !this.hasTemplateFor(key) ? 'awaits_approval' : undefined;
  }

  /** Whether a relayed template has the URI. */
  hasTemplateFor(uri: string): boolean {
    return this.#shown.some(({ kind, key }) => kind === 'template' && fitsTemplate(key, uri));
  }

  async #show(listed: readonly Offer[]): Promise<number> {
    const { entry, notes } = this.#parts;
    const hashes = new Map(listed.map((offer) => [offerId(offer), offerHash(offer)] as const));
    const before = new Map(this.#shown.map((offer) => [offerId(offer), offerHash(offer)] as const));
    this.#listed = listed;
    this.#pending = [];
    let shown = listed;
    if (entry.isPinned) {
      this.#approved ??= await notes.readApproved(entry.name, 'offers');
      // A server's first offers are approved automatically, even if there are none.
      const approved = this.#approved ?? (await this.#approve(hashes));
      const isApproved = (offer: Offer) => approved.get(offerId(offer)) === hashes.get(offerId(offer));
      shown = listed.filter(isApproved);
      this.#pending = listed.filter((offer) => !isApproved(offer)).map((offer) => toPending(offer, approved));
    }
    const changed = shown.filter((offer) => before.get(offerId(offer)) !== hashes.get(offerId(offer))).length;
    const ids = new Set(shown.map(offerId));
    const gone = [...before.keys()].filter((id) => !ids.has(id)).length;
    if (changed + gone > 0) [this.#shown, this.#counts] = [shown, countsOf(shown)];
    return changed + gone;
  }

  /** Returns the digests of all that are approved now. */
  async #approve(hashes: Iterable<readonly [string, string]>): Promise<ReadonlyMap<string, string>> {
    const all = new Map([...(this.#approved ?? []), ...hashes]);
    await this.#parts.notes.writeApproved(this.#parts.entry.name, all, 'offers');
    this.#approved = all;
    return all;
  }
}

function countsOf(offers: readonly Offer[]): Readonly<Record<OfferKind, number>> {
  const counts = { prompt: 0, resource: 0, template: 0, instructions: 0 };
  for (const { kind } of offers) counts[kind]++;
  return counts;
}

function toPending(offer: Offer, approved: ReadonlyMap<string, string>): PendingDefinition {
  const id = offerId(offer);
  return { id, name: id, before: approved.get(id), after: offerHash(offer), changed: [] };
}

function faultOf(offer: Offer, seen: ReadonlySet<string>): string | undefined {
  if (seen.has(offerId(offer))) return 'It is listed twice.';
  if (removeInvisible(offer.key) !== offer.key) return 'Its name has characters that cannot be seen.';
  if (offer.key.length > OFFER_LIMITS.keyChars)
    return `It is longer than ${OFFER_LIMITS.keyChars} characters.`;
  return JSON.stringify(offer.definition).length > OFFER_LIMITS.definitionChars
    ? `Its definition is longer than ${OFFER_LIMITS.definitionChars} characters.`
    : undefined;
}

/** Tells the caller why an offer is not relayed, and what the operator can do about it. */
export function explainOfferRefusal(refusal: OfferRefusal, server: string): string {
  switch (refusal) {
    case 'not_listed':
      return `The server ${server} does not list it.`;
    case 'excluded':
      return `The settings of the server ${server} leave it out. The operator can change its "include" and "exclude".`;
    case 'awaits_approval':
      return `It is new or has changed on the server ${server}, and awaits the approval of the operator.`;
  }
}

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
