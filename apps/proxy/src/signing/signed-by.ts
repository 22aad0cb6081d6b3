/** The signer of a request: the access key id of the proxy's own credentials, or an unknown client. */
export type SignedBy = { readonly accessKeyId: string } | 'unknown';
