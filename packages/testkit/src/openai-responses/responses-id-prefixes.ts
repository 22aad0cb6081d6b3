import type { IdPrefixes } from '../model/conversation.ts';

/** Prefixes of the provider's own ids. */
export const RESPONSES_ID_PREFIXES: IdPrefixes = { message: 'resp_', call: 'call_' };
