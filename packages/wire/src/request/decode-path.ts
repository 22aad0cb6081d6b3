/** Decodes a path segment; returns it unchanged when it is not valid percent-encoding. */
export function decodePath(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
