/** Returns the key of an endpoint, which must not appear in a command line; empty if there is none. */
export function readEmbedderKey(): string {
  return process.env.EMBEDDER_KEY ?? '';
}
