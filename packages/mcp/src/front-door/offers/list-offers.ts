import { parseJson, readableJson } from '@winnow/core';
import { isJsonObject, type JsonObject } from '@winnow/registry';
import type { OfferKind } from '../../servers/offers.ts';
import type { NamedOffer } from './offer-directory.ts';

/** A page of offers, as clients list them. */
export interface OfferPage {
  readonly entries: readonly JsonObject[];
  readonly nextCursor?: string;
}

/** Most entries of a page, and most characters of their definitions; one entry may have more. */
const PAGE = { entries: 100, chars: 1_000_000 } as const;

const NAME_OF = { prompt: 'name', resource: 'uri', template: 'uriTemplate', instructions: 'text' } as const;

/** Returns the page after a cursor, in order of name; undefined when the cursor is none of these lists. */
export function listOffers(
  offers: readonly NamedOffer[],
  kind: OfferKind,
  cursor: string | undefined,
): OfferPage | undefined {
  const after = cursor === undefined ? '' : readCursor(kind, cursor);
  if (after === undefined) return undefined;
  const rest = offers.filter(({ offer, name }) => offer.kind === kind && name > after);
  const entries: JsonObject[] = [];
  let chars = 0;
  for (const { name, offer } of rest) {
    const entry = { ...readableJson(offer.definition), [NAME_OF[kind]]: name } as JsonObject;
    chars += JSON.stringify(entry).length;
    if (entries.length === PAGE.entries || (entries.length > 0 && chars > PAGE.chars)) break;
    entries.push(entry);
  }
  const last = rest[entries.length - 1]?.name;
  return {
    entries,
    ...(entries.length < rest.length && last !== undefined && { nextCursor: writeCursor(kind, last) }),
  };
}

/** The place after a name keeps its meaning when offers come and go. */
function writeCursor(kind: OfferKind, name: string): string {
  return Buffer.from(JSON.stringify({ [kind]: name })).toString('base64url');
}

function readCursor(kind: OfferKind, cursor: string): string | undefined {
  const read = parseJson(Buffer.from(cursor, 'base64url').toString('utf8'));
  const name = isJsonObject(read) ? read[kind] : undefined;
  return typeof name === 'string' ? name : undefined;
}
