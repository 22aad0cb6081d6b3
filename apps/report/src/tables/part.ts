import type { TextPart } from '@winnow/learning';

export type { TextTable as Table } from '@winnow/learning';

export type PartId =
  | 'traffic'
  | 'money'
  | 'harm'
  | 'suggestions'
  | 'tools'
  | 'tool-costs'
  | 'searches'
  | 'registry-tools'
  | 'fallbacks'
  | 'latency'
  | 'watching'
  | 'sessions'
  | 'reading';

/** One part of the report, on the terminal and on the page. */
export interface Part extends TextPart {
  readonly id: PartId;
}
