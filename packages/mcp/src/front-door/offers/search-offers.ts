import {
  bm25,
  buildCatalogueOf,
  type Catalogue,
  findTools,
  noPause,
  type ToolDocument,
} from '@winnow/ranking';
import { isJsonObject } from '@winnow/registry';
import type { NamedOffer } from './offer-directory.ts';

/** Offers that can be searched; lists show those beyond. */
const MOST_SEARCHED = 5_000;

/** A hit with less than this share of the best score is not shown. */
const LEAST_SHARE = 0.5;

/** Searches prompts, resources and templates by their words. */
export class OfferSearch {
  readonly #offers: readonly NamedOffer[];
  #catalogue: Catalogue | undefined;

  constructor(offers: readonly NamedOffer[]) {
    this.#offers = offers.slice(0, MOST_SEARCHED);
  }

  /** Returns the best, at most `limit`; none if nothing clearly matches. */
  async find(query: string, limit: number): Promise<readonly NamedOffer[]> {
    if (this.#offers.length === 0 || query.trim() === '') return [];
    this.#catalogue ??= buildCatalogueOf(this.#offers.map(toDocument), bm25);
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
