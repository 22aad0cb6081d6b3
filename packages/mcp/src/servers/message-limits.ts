/** What one message of a server may come to: in bytes once decoded, and in values, which are parsed well within a second. */
export const MESSAGE_LIMITS = { bytes: 32 * 2 ** 20, values: 500_000 } as const;

/** For messages: what is said of one that is beyond them. */
export const LIMITS_TEXT = 'larger than 32 MiB, or has more than 500,000 values';
