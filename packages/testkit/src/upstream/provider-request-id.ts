/** The id of the exchange that providers send in a header, here made from the number of the request. */
export function providerRequestId(requestNumber: number): string {
  return `req_${String(requestNumber).padStart(12, '0')}`;
}
