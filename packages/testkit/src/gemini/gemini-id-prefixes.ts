import type { IdPrefixes } from '../model/conversation.ts';

/** The provider's own ids have no common prefix. */
export const GEMINI_ID_PREFIXES: IdPrefixes = { message: '', call: 'call-' };
