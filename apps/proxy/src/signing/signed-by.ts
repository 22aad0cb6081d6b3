/** Who has signed a request: a client that knows the proxy's own credentials, by their id, or somebody of whom nothing is known. */
export type SignedBy = { readonly accessKeyId: string } | 'unknown';
