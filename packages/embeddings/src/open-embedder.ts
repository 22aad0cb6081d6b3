import type { Agent } from '@winnow/service';
import type { Embedder } from './embedder.ts';
import { EMBEDDER_FORMS, readEmbedderAddress } from './embedder-address.ts';
import { EmbeddingError } from './embedding-error.ts';
import { openEndpoint } from './endpoint-embedder.ts';
import { openOnnx } from './onnx/onnx-embedder.ts';

export interface OpenOptions {
  /** Of an endpoint, sent as a bearer token; empty to send none. */
  readonly key: string;
  /** A file or folder from which the libraries of a local model are looked for; Winnow itself when it is missing. */
  readonly librariesFrom?: string;
  /** Connections to an endpoint; ones of its own when it is missing. */
  readonly agent?: Pick<Agent, 'request'>;
}

/**
 * The embedder of an address. A local model begins to load; an endpoint is not asked yet.
 *
 * @throws EmbeddingError `not_usable` for an address of another form, a folder without a model, or missing libraries, whose installation the message names.
 */
export function openEmbedder(address: string, options: OpenOptions): Embedder {
  const read = readEmbedderAddress(address);
  if (read === undefined) throw new EmbeddingError('not_usable', `an embedder is ${EMBEDDER_FORMS}`);
  return read.kind === 'onnx' ? openOnnx(read.folder, options) : openEndpoint(read, options);
}
