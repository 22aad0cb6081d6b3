/** The header for a client's token if the client does not send it in its provider's credential header. */
export const ACCESS_HEADER = 'x-winnow-token';

/** The request header that chooses the arm, if the settings allow it. */
export const MODE_HEADER = 'x-winnow-mode';
