import type { IdPrefixes } from '../model/conversation.ts';

/** What the provider's own ids begin with. */
export const CHAT_ID_PREFIXES: IdPrefixes = { message: 'chatcmpl-', call: 'call_' };
