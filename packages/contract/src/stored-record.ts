import { z } from 'zod';
import { ExchangeRecord, FailedRound, Observation, SearchRecord } from './exchange-record.ts';
import { RegistryCall } from './registry-offer.ts';

/** A search as it is read back: it may have failed for a reason that this version does not know. */
export const StoredSearch = SearchRecord.extend({ outcome: z.string() });
export type StoredSearch = z.infer<typeof StoredSearch>;

/** What was found out about an exchange, as it is read back. */
export const StoredObservation = Observation.extend({ search: StoredSearch.optional() });
export type StoredObservation = z.infer<typeof StoredObservation>;

/**
 * A record as it is read back from a file. Every `ExchangeRecord` is one.
 *
 * A newer proxy may give reasons that this version does not know; that is no cause to lose its records.
 */
export const StoredRecord = ExchangeRecord.extend({
  armReason: z.string(),
  planReason: z.string(),
  restoredBecause: z.string().optional(),
  searches: z.array(StoredSearch),
  failedRounds: z.array(FailedRound.extend({ reason: z.string() })).optional(),
  registryOffer: z.string().optional(),
  registryCalls: z.array(RegistryCall.extend({ tool: z.string(), outcome: z.string() })).optional(),
  observation: StoredObservation.optional(),
});
export type StoredRecord = z.infer<typeof StoredRecord>;
