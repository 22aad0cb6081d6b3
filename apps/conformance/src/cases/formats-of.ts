import { FORMAT_NAMES, type FormatName } from '../formats/client-format.ts';

/** All formats. */
export const ALL: readonly FormatName[] = FORMAT_NAMES;

/** The formats whose streams are server-sent events. */
export const SSE: readonly FormatName[] = [
  'openai-chat',
  'openai-responses',
  'anthropic-messages',
  'gemini',
  'gemini-interactions',
];

/** The two formats with most users, for cases that depend on HTTP and not on a format. */
export const USUAL: readonly FormatName[] = ['openai-chat', 'anthropic-messages'];
