import type { Agent } from '@winnow/service';
import type { Embedder } from './embedder.ts';
import { EMBEDDER_FORMS, type EmbedderAddress, readEmbedderAddress } from './embedder-address.ts';
import { EmbeddingError } from './embedding-error.ts';
import { openEndpoint } from './endpoint-embedder.ts';
import { checkOnnx, openOnnx } from './onnx/onnx-embedder.ts';

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
  const read = readAddress(address);
  return read.kind === 'onnx' ? openOnnx(read.folder, options) : openEndpoint(read, options);
}

/**
 * Whether an embedder could be opened, as far as that is known without opening it.
 *
 * @throws EmbeddingError as `openEmbedder` does.
 */
export function checkEmbedder(address: string, options: Pick<OpenOptions, 'librariesFrom'> = {}): void {
  const read = readAddress(address);
  if (read.kind === 'onnx') checkOnnx(read.folder, options);
}

function readAddress(address: string): EmbedderAddress {
  const read = readEmbedderAddress(address);
  if (read === undefined) throw new EmbeddingError('not_usable', `an embedder is ${EMBEDDER_FORMS}`);
  return read;
}
