import { hash } from 'node:crypto';
import { buildCatalogueOf, type Catalogue, findTools, noPause, type ToolDocument } from '@winnow/ranking';
import { isJsonObject } from '@winnow/registry';
import type { McpServers, ServerState } from '../../servers/mcp-servers.ts';
import { fitsTemplate, type Offer, type OfferKind } from '../../servers/read-list.ts';

/** An offer of a server, by the name under which clients know it. */
export interface NamedOffer {
  readonly server: DirectoryServer;
  readonly offer: Offer;
  /** The name of a prompt, the URI of a resource, or the URI of a template. */
  readonly name: string;
}

export type DirectoryServer = Pick<ServerState, 'name' | 'namespace' | 'prefix' | 'trustsAnnotations'>;

/** A resource that a client names by its URI. */
type ResolvedResource =
  | { readonly kind: 'found'; readonly server: DirectoryServer; readonly uri: string }
  /** Several servers have it: the URIs that distinguish them. */
  | { readonly kind: 'ambiguous'; readonly names: readonly string[] }
  | { readonly kind: 'unknown' };

/** Begins the URIs of resources that have another one at their server. */
const SCHEME = 'winnow://';

/**
 * The prompts, resources and templates of some servers by names that are unique among them.
 *
 * - A prompt is `server__prompt`, like tools: its namespace or prefix, and its own name.
 * - A resource or template is `winnow://SERVER/` and its own URI.
 * - Those of servers without a namespace have their own names, unless one is taken.
 *
 * A URI as its server writes it, for example in a result, is also found if exactly one server lists it or has a
 * template for it.
 */
class OfferDirectory {
  readonly all: readonly NamedOffer[];
  readonly #servers: readonly DirectoryServer[];
  readonly #byName = new Map<string, NamedOffer>();

  /** @param servers those that the caller sees, in order of name. */
  constructor(servers: readonly DirectoryServer[], offersOf: McpServers['offersOf']) {
    this.#servers = servers;
    const named: NamedOffer[] = [];
    for (const server of servers) {
      for (const offer of offersOf(server.name)) {
        if (offer.kind === 'instructions') continue;
        const name = this.#freeNameOf(server, offer);
        const one = { server, offer, name };
        this.#byName.set(keyOf(offer.kind, name), one);
        named.push(one);
      }
    }
    this.all = named.sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  find(kind: OfferKind, name: string): NamedOffer | undefined {
    return this.#byName.get(keyOf(kind, name));
  }

  /** Finds the server and the server's own URI for a URI of a client. */
  resolve(uri: string): ResolvedResource {
    const named = this.find('resource', uri);
    if (named !== undefined) return { kind: 'found', server: named.server, uri: named.offer.key };
    if (uri.startsWith(SCHEME)) {
      const server = this.#servers.find((one) => uri.startsWith(prefixOf(one)));
      if (server !== undefined) return { kind: 'found', server, uri: uri.slice(prefixOf(server).length) };
    }
    const listed = this.#serversWith(({ kind, key }) => kind === 'resource' && key === uri);
    const servers =
      listed.length > 0
        ? listed
        : this.#serversWith(({ kind, key }) => kind === 'template' && fitsTemplate(key, uri));
    const [server, ...others] = servers;
    if (server === undefined) return { kind: 'unknown' };
    if (others.length === 0) return { kind: 'found', server, uri };
    return { kind: 'ambiguous', names: servers.slice(0, 5).map((one) => prefixOf(one) + uri) };
  }

  #serversWith(fits: (offer: Offer) => boolean): readonly DirectoryServer[] {
    return [...new Set(this.all.filter(({ offer }) => fits(offer)).map((one) => one.server))];
  }

  #freeNameOf(server: DirectoryServer, { kind, key }: Offer): string {
    const label = server.prefix ?? server.namespace;
    if (kind !== 'prompt') {
      const isFree = label === '' && !this.#byName.has(keyOf(kind, key));
      return isFree ? key : prefixOf(server) + key;
    }
    const plain = label === '' ? key : `${label}__${key}`;
    if (!this.#byName.has(keyOf(kind, plain))) return plain;
    return `${plain}_${hash('sha256', server.name).slice(0, 8)}`;
  }
}

/** Returns the URI under which clients know a resource, given the server's own, when they asked by such a URI. */
export function clientUri(server: DirectoryServer, asked: string, uri: string): string {
  return asked.startsWith(prefixOf(server)) ? prefixOf(server) + uri : uri;
}

function prefixOf({ name }: DirectoryServer): string {
  return `${SCHEME}${encodeURIComponent(name)}/`;
}

function keyOf(kind: OfferKind, name: string): string {
  return `${kind} ${name}`;
}

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
  const key = JSON.stringify(
    seen.map(({ name, namespace, prefix, trustsAnnotations }) => [
      name,
      namespace,
      prefix,
      trustsAnnotations,
    ]),
  );
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
  async find(queries: readonly string[], limit: number): Promise<readonly NamedOffer[]> {
    if (this.#offers.length === 0 || queries.length === 0) return [];
    this.#catalogue ??= buildCatalogueOf(this.#offers.map(toDocument));
    const found = await findTools(this.#catalogue, { pattern: queries, searchType: 'auto', limit }, noPause);
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
