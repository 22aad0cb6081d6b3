import { createHash } from 'node:crypto';
import type { SearchRecord } from '@winnow/core';

/** The description of a query in a record. */
export type QueryDescription = Pick<SearchRecord, 'queryChars' | 'queryHash' | 'queryText'>;

/** Characters of the hash; enough to recognise a query. */
const HASH_CHARS = 16;

/** Longest recorded text: a record is a line, and a user's message may be a book. */
const MAX_TEXT_CHARS = 1_000;

/**
 * Describes a query for a record: by length and hash, and by its first 1,000 characters only if the operator
 * wants the text.
 */
export function describeQuery(query: string, withText: boolean): QueryDescription {
  return {
    queryChars: query.length,
    queryHash: createHash('sha256').update(query).digest('hex').slice(0, HASH_CHARS),
    ...(withText && { queryText: query.slice(0, MAX_TEXT_CHARS) }),
  };
}
