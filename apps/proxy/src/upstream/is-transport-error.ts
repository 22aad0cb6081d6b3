/** Whether an error comes from a connection or from encoded bytes, not from a defect: sockets, undici and zlib name theirs by a code. */
export function isTransportError(error: unknown): boolean {
  return error instanceof Error && typeof (error as NodeJS.ErrnoException).code === 'string';
}
