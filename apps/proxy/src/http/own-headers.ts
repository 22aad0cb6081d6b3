/** The header by which a request asks for the registry's tools. */
export const OFFER_HEADER = 'x-winnow-registry-tools';

/** The header by which a request chooses its arm, where the settings let it. */
export const MODE_HEADER = 'x-winnow-mode';

/** The header by which a request brings a token of its own for the registry. */
export const TOKEN_HEADER = 'x-winnow-registry-token';
