import { z } from 'zod';
import { ExchangeRecord, FailedRound, SearchRecord } from './exchange-record.ts';

/** A search as read back from a record: its outcome may be unknown to this version. */
export const StoredSearch = SearchRecord.extend({ outcome: z.string() });
export type StoredSearch = z.infer<typeof StoredSearch>;

/**
 * A record as read back from a file. Every `ExchangeRecord` is one.
 *
 * A newer proxy may write reasons that this version does not know; its records are still read.
 */
export const StoredRecord = ExchangeRecord.extend({
  armReason: z.string(),
  planReason: z.string(),
  restoredBecause: z.string().optional(),
  searches: z.array(StoredSearch),
  failedRounds: z.array(FailedRound.extend({ reason: z.string() })).optional(),
});
export type StoredRecord = z.infer<typeof StoredRecord>;
