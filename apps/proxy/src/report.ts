import type { ExchangeRecord } from '@winnow/contract';

/** Takes the record of each exchange, once. Never throws. */
export type Report = (record: ExchangeRecord) => void;
