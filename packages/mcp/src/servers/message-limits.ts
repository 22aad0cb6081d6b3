/** Limits of one message of a server: decoded bytes, and JSON values, which are parsed well within a second. */
export const MESSAGE_LIMITS = { bytes: 32 * 2 ** 20, values: 500_000 } as const;

/** Description of a message beyond the limits. */
export const LIMITS_TEXT = 'larger than 32 MiB, or has more than 500,000 values';
