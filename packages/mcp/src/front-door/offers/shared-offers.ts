import { buildCatalogueOf, type Catalogue, findTools, noPause, type ToolDocument } from '@winnow/ranking';
import { isJsonObject } from '@winnow/registry';
import type { McpServers } from '../../servers/mcp-servers.ts';
import { type DirectoryServer, type NamedOffer, OfferDirectory } from './offer-directory.ts';

/** The offers of some servers by name and by words. */
export interface VisibleOffers {
  readonly directory: OfferDirectory;
  readonly search: OfferSearch;
}

/** Most sets of servers whose offers are kept by name: callers with equal sights share one. */
const MOST_KEPT = 8;

interface Kept extends VisibleOffers {
  readonly version: number;
}

const known = new WeakMap<McpServers, Map<string, Kept>>();

/** Returns the offers of these servers; rebuilt only if some have changed. */
export function offersAmong(servers: McpServers, seen: readonly DirectoryServer[]): VisibleOffers {
  const sets = known.get(servers) ?? new Map<string, Kept>();
  known.set(servers, sets);
  const key = JSON.stringify(seen.map(({ name }) => name));
  const before = sets.get(key);
  sets.delete(key);
  const { offersVersion: version } = servers;
  const kept = before?.version === version ? before : { version, ...make(servers, seen) };
  sets.set(key, kept);
  for (const oldest of sets.keys()) if (sets.size > MOST_KEPT) sets.delete(oldest);
  return kept;
}

function make(servers: McpServers, seen: readonly DirectoryServer[]): VisibleOffers {
  const directory = new OfferDirectory(seen, (server) => servers.offersOf(server));
  return { directory, search: new OfferSearch(directory.all) };
}

/** Offers that can be searched; lists show those beyond. */
const MOST_SEARCHED = 5_000;

/** A hit with less than this share of the best score is not shown. */
const LEAST_SHARE = 0.5;

/** Searches prompts, resources and templates by their words. */
class OfferSearch {
  readonly #offers: readonly NamedOffer[];
  #catalogue: Catalogue | undefined;

  constructor(offers: readonly NamedOffer[]) {
    this.#offers = offers.slice(0, MOST_SEARCHED);
  }

  /** Returns the best, at most `limit`; none if nothing clearly matches. */
  async find(query: string, limit: number): Promise<readonly NamedOffer[]> {
    if (this.#offers.length === 0 || query.trim() === '') return [];
    this.#catalogue ??= buildCatalogueOf(this.#offers.map(toDocument));
    const found = await findTools(this.#catalogue, { pattern: query, searchType: 'auto', limit }, noPause);
    if (found.certainty !== 'found') return [];
    const best = found.hits[0]?.score ?? 0;
    return found.hits
      .filter(({ score }) => score >= best * LEAST_SHARE)
      .map(({ position }) => this.#offers[position]!);
  }
}

function toDocument({ offer, name, server }: NamedOffer): ToolDocument {
  const { definition, key, kind } = offer;
  const textOf = (value: unknown) => (typeof value === 'string' ? value : '');
  const own = kind === 'prompt' ? key : textOf(definition.name) || key;
  const { arguments: parameters } = definition;
  return {
    name: own,
    description: textOf(definition.description),
    namespace: server.namespace,
    title: textOf(definition.title),
    tags: [KIND_WORDS[kind]],
    aliases: [...new Set([name, key])].filter((alias) => alias !== own),
    parameters: (Array.isArray(parameters) ? parameters : [])
      .filter(isJsonObject)
      .map((parameter) => ({ name: textOf(parameter.name), text: textOf(parameter.description) })),
  };
}

const KIND_WORDS = {
  prompt: 'prompt',
  resource: 'resource',
  template: 'resource',
  instructions: '',
} as const;
