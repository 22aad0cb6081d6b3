/**
 * Limits of one message of a server: decoded bytes, and JSON values, which are parsed within a third of a second; and of
 * the messages in one response.
 */
export const MESSAGE_LIMITS = { bytes: 32 * 2 ** 20, values: 250_000, messages: 100_000 } as const;

/** Description of a message beyond the limits. */
export const LIMITS_TEXT = 'larger than 32 MiB, or has more than 250,000 values or 100,000 messages';
