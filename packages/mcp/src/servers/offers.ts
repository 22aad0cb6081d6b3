import { hash } from 'node:crypto';
import { canonicalJson, decodePercent } from '@winnow/core';
import { type JsonObject, matchesGlob } from '@winnow/registry';
import type { ListKind } from './read-list.ts';
import type { ServerEntry } from './server-entry.ts';

/** Kinds of offers, the things that servers have in addition to tools: prompts, resources, templates of resources, and instructions. */
export type OfferKind = 'prompt' | 'resource' | 'template' | 'instructions';

export const OFFER_KINDS: readonly OfferKind[] = ['prompt', 'resource', 'template', 'instructions'];

/** One of them, as its server lists it. */
export interface Offer {
  readonly kind: OfferKind;
  /** The server's own name of a prompt, URI of a resource or template; empty for instructions. */
  readonly key: string;
  /** Instructions are its member `text`. */
  readonly definition: JsonObject;
}

/** A list of offers: how a server is asked for it, and its limits. */
export interface OfferList extends ListKind {
  readonly kind: OfferKind;
  readonly method: 'prompts/list' | 'resources/list' | 'resources/templates/list';
}

const limits = (entries: number) => ({ pages: 64, entries, bytes: 4 * 2 ** 20 });

export const OFFER_LISTS: readonly OfferList[] = [
  {
    kind: 'prompt',
    method: 'prompts/list',
    member: 'prompts',
    key: 'name',
    limits: limits(500),
    isCut: true,
  },
  {
    kind: 'resource',
    method: 'resources/list',
    member: 'resources',
    key: 'uri',
    limits: limits(1_000),
    isCut: true,
  },
  {
    kind: 'template',
    method: 'resources/templates/list',
    member: 'resourceTemplates',
    key: 'uriTemplate',
    limits: limits(200),
    isCut: true,
  },
];

/** Longest name or URI, longest definition as JSON, and longest instructions, in characters. */
export const OFFER_LIMITS = { keyChars: 2_048, definitionChars: 65_536, instructionsChars: 16_000 } as const;

/** The id of an offer among those of its server, as approvals name it: `prompt:NAME`, `resource:URI`, `template:URI`, `instructions`. */
export function offerId({ kind, key }: Pick<Offer, 'kind' | 'key'>): string {
  return kind === 'instructions' ? kind : `${kind}:${key}`;
}

/** Returns a digest that is equal for equal definitions. */
export function offerHash({ definition }: Offer): string {
  return hash('sha256', canonicalJson(definition)).slice(0, 32);
}

/**
 * Whether an entry lets an offer pass. Its globs match names of prompts and resources, URIs, and both with their kind:
 * `prompt:NAME`, `resource:URI`, also for templates. Instructions pass unless `exclude` has `instructions`.
 */
export function wantsOffer(
  { kind, key, definition }: Offer,
  { include = ['*'], exclude }: Pick<ServerEntry, 'include' | 'exclude'>,
): boolean {
  const matches = (globs: readonly string[], names: readonly string[]) =>
    globs.some((glob) => names.some((name) => matchesGlob(glob, name)));
  if (kind === 'instructions') return !matches(exclude, [kind]);
  const { name } = definition;
  const qualified = `${kind === 'prompt' ? 'prompt' : 'resource'}:${key}`;
  const names = [key, qualified, ...(typeof name === 'string' && name !== key ? [name] : [])];
  return matches(include, names) && !matches(exclude, names);
}

/**
 * Whether an entry lets a resource be read that its server does not list. Servers may take several spellings of a URI for one: `exclude` holds
 * for all of them, and with `include` the path must not climb.
 */
export function wantsUnlisted(uri: string, entry: Pick<ServerEntry, 'include' | 'exclude'>): boolean {
  if (!wantsOffer({ kind: 'resource', key: uri, definition: {} }, { ...entry, exclude: [] })) return false;
  if (entry.include !== undefined && climbs(uri)) return false;
  const globs = entry.exclude.flatMap((glob) => [glob, decoded(glob)]).map((glob) => glob.toLowerCase());
  const names = spellingsOf(uri).flatMap((one) => [one, `resource:${one}`]);
  return !globs.some((glob) => names.some((name) => matchesGlob(glob, name)));
}

/**
 * Returns the ways in which servers may read a URI, in lower case: unchanged, and with escapes, dot segments
 * and repeated slashes resolved; also without fragment, query, parameters of segments and closing slashes, which many
 * servers pass over.
 */
export function spellingsOf(uri: string): readonly string[] {
  // The order of decoding and resolving is the server's.
  const read = [uri, decoded(uri)].map((text) =>
    decoded(URL.parse(text.replaceAll('\\', '/'))?.href ?? text),
  );
  const plain = read.map((text) =>
    text.replace(/(?<=^[a-z0-9+.-]*:\/\/).*/is, (rest) => rest.replace(/\/{2,}/g, '/')),
  );
  const bare = [uri, ...read, ...plain].flatMap((text) => [text, withoutExtras(text)]);
  return [...new Set(bare.map((text) => text.toLowerCase()))];
}

function withoutExtras(uri: string): string {
  return uri
    .replace(/[?#].*$/s, '')
    .replace(/;[^/]*/g, '')
    .replace(/(?<=[^/:])\/+$/, '');
}

/** Whether a path has segments that lead elsewhere. */
function climbs(uri: string): boolean {
  return [uri, decoded(uri)].some((text) => /[/\\]\.{1,2}(?:[/\\?#]|$)/.test(text));
}

/** Returns a text without escapes, except those that encode no text. */
function decoded(text: string): string {
  return text.replace(/(?:%[\da-f]{2})+/gi, decodePercent);
}

/** The time to compare a template with a URI is bounded by the product of their lengths: longer templates fit none. */
const MAX_COMPARED_CHARS = 256;

/** Whether a URI matches a template: an expression matches any characters, as long as the path does not climb. */
export function fitsTemplate(template: string, uri: string): boolean {
  if (template.length > MAX_COMPARED_CHARS || uri.length > OFFER_LIMITS.keyChars || climbs(uri)) return false;
  return matchesGlob(template.replace(/\{[^{}]*\}/g, '*'), uri);
}
