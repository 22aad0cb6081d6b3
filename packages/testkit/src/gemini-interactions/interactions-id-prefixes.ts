import type { IdPrefixes } from '../model/conversation.ts';

/** The provider's own ids of calls begin with nothing in common. */
export const INTERACTIONS_ID_PREFIXES: IdPrefixes = { message: 'v1_', call: '' };
