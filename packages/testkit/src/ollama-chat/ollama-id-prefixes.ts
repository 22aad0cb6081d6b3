import type { IdPrefixes } from '../model/conversation.ts';

/** Calls have ids since version 0.13; responses have none. */
export const OLLAMA_ID_PREFIXES: IdPrefixes = { message: '', call: 'call_' };
