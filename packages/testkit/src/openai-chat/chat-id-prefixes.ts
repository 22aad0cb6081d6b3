import type { IdPrefixes } from '../model/conversation.ts';

/** Prefixes of the provider's own ids. */
export const CHAT_ID_PREFIXES: IdPrefixes = { message: 'chatcmpl-', call: 'call_' };
