/** Whether an error comes from a connection or from encoded bytes, not from a defect: sockets, undici and zlib name theirs by a code, but for bytes that are no HTTP. */
export function isTransportError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return typeof (error as NodeJS.ErrnoException).code === 'string' || error.name === 'HTTPParserError';
}
