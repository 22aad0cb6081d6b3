/** The key of an endpoint, which belongs into no command line; empty when there is none. */
export function readEmbedderKey(): string {
  return process.env.EMBEDDER_KEY ?? '';
}
