import type { IdPrefixes } from '../model/conversation.ts';

/** What the provider's own ids begin with. */
export const RESPONSES_ID_PREFIXES: IdPrefixes = { message: 'resp_', call: 'call_' };
