import type { IdPrefixes } from '../model/conversation.ts';

/** The provider's own call ids have no common prefix. */
export const INTERACTIONS_ID_PREFIXES: IdPrefixes = { message: 'v1_', call: '' };
