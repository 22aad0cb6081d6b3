import type { ExchangeRecord } from '@winnow/contract';

/** Takes the record of each exchange, once. Never throws. */
export type TakeRecord = (record: ExchangeRecord) => void;
