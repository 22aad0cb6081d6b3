/**
 * Whether an error comes from a connection or from encoded bytes rather than from a defect. Sockets, undici
 * and zlib set a code, except for invalid HTTP.
 */
export function isTransportError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return typeof (error as NodeJS.ErrnoException).code === 'string' || error.name === 'HTTPParserError';
}
