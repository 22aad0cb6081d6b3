/** The request header that asks for the registry's tools. */
export const OFFER_HEADER = 'x-winnow-registry-tools';

/** The request header that chooses the arm, if the settings allow it. */
export const MODE_HEADER = 'x-winnow-mode';

/** The request header with a client's own registry token. */
export const TOKEN_HEADER = 'x-winnow-registry-token';
