import { createHash } from 'node:crypto';
import type { SearchRecord } from '@winnow/contract';

/** What a record says of a query. */
export type QueryDescription = Pick<SearchRecord, 'queryChars' | 'queryHash' | 'queryText'>;

/** Enough to recognise a query again. */
const HASH_CHARS = 16;

/** A text longer than this is cut: a record is a line, and a user's message may be a book. */
const MAX_TEXT_CHARS = 1_000;

/** A query as records tell of it: by length and hash, and by its first 1,000 characters only where the operator wants the text. */
export function describeQuery(query: string, withText: boolean): QueryDescription {
  return {
    queryChars: query.length,
    queryHash: createHash('sha256').update(query).digest('hex').slice(0, HASH_CHARS),
    ...(withText && { queryText: query.slice(0, MAX_TEXT_CHARS) }),
  };
}
