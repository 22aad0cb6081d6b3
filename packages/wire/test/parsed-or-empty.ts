/** Returns the arguments of a whole call; the provider replaces those that are not JSON. */
export function parsedOrEmpty(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}
