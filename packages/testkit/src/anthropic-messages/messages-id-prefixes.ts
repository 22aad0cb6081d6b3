import type { IdPrefixes } from '../model/conversation.ts';

/** Prefixes of the provider's own ids. */
export const MESSAGES_ID_PREFIXES: IdPrefixes = { message: 'msg_', call: 'toolu_' };
