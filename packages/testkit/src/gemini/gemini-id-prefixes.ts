import type { IdPrefixes } from '../model/conversation.ts';

/** The provider's own ids begin with nothing in common. */
export const GEMINI_ID_PREFIXES: IdPrefixes = { message: '', call: 'call-' };
