import type { IdPrefixes } from '../model/conversation.ts';

/** What the provider's own ids begin with. */
export const MESSAGES_ID_PREFIXES: IdPrefixes = { message: 'msg_', call: 'toolu_' };
