/** Headers of a signature, and those that count the tries of a client for which it has signed. They are of the client's own request. */
export const SIGNATURE_HEADERS: ReadonlySet<string> = new Set([
  'authorization',
  'x-amz-date',
  'x-amz-security-token',
  'x-amz-content-sha256',
  'amz-sdk-invocation-id',
  'amz-sdk-request',
]);
