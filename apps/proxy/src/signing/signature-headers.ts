/**
 * Headers of a signature, and the retry headers that a client signed with it. They apply only to the client's
 * own request.
 */
export const SIGNATURE_HEADERS: ReadonlySet<string> = new Set([
  'authorization',
  'x-amz-date',
  'x-amz-security-token',
  'x-amz-content-sha256',
  'amz-sdk-invocation-id',
  'amz-sdk-request',
]);
