import type { MatchedField } from '@winnow/core';
import type { Hit } from '../ranker.ts';
import { FIELD_BITS, FIELD_MASK } from './postings.ts';

/** Returns the hit of a matching document. @param fields the FIELD_BITS of the match. */
export function toHit(document: number, score: number, fields: number): Hit {
  return { position: document, score, matchedOn: MATCHED_FIELDS[fields]! };
}

/** Lists of matched fields by FIELD_BITS, shared by all hits. */
const MATCHED_FIELDS: readonly (readonly MatchedField[])[] = Array.from(
  { length: FIELD_MASK + 1 },
  (_, bits) => matchedFields(bits),
);

function matchedFields(bits: number): readonly MatchedField[] {
  const fields: MatchedField[] = [];
  if (bits & (FIELD_BITS.namePart | FIELD_BITS.name)) fields.push('name');
  if (bits & (FIELD_BITS.lead | FIELD_BITS.description)) fields.push('description');
  if (bits & FIELD_BITS.parameters) fields.push('parameters');
  return fields;
}
