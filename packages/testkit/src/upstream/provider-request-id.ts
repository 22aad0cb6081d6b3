/** Returns the id of the exchange that providers send in a header, derived from the request's number. */
export function providerRequestId(requestNumber: number): string {
  return `req_${String(requestNumber).padStart(12, '0')}`;
}
