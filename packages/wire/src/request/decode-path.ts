/** A segment of a path without its percent-encoding; as it is where that is not valid. */
export function decodePath(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
