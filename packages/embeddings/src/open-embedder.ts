import type { HttpPool } from '@winnow/service';
import { type Embedder, EmbeddingError } from './embedder.ts';
import { EMBEDDER_FORMS, type EmbedderAddress, readEmbedderAddress } from './embedder-settings.ts';
import { openEndpoint } from './endpoint-embedder.ts';
import { checkOnnx, openOnnx } from './onnx/onnx-embedder.ts';

export interface OpenOptions {
  /** Bearer token for an endpoint; empty to send none. */
  readonly key: string;
  /** The file or folder from which a local model's libraries are resolved; Winnow itself by default. */
  readonly librariesFrom?: string;
  /** Connections to an endpoint; its own by default. */
  readonly agent?: Pick<HttpPool, 'request'>;
}

/**
 * Opens the embedder of an address. A local model begins to load; an endpoint is not called yet.
 *
 * @throws EmbeddingError `not_usable` for an invalid address, a folder without a model, or missing libraries;
 * the message says how to install them.
 */
export function openEmbedder(address: string, options: OpenOptions): Embedder {
  const read = readAddress(address);
  return read.kind === 'onnx' ? openOnnx(read.folder, options) : openEndpoint(read, options);
}

/**
 * Checks whether an embedder could be opened, as far as possible without opening it.
 *
 * @throws EmbeddingError like `openEmbedder`.
 */
export function checkEmbedder(address: string, options: Pick<OpenOptions, 'librariesFrom'> = {}): void {
  const read = readAddress(address);
  if (read.kind === 'onnx') checkOnnx(read.folder, options);
}

function readAddress(address: string): EmbedderAddress {
  const read = readEmbedderAddress(address);
  if (read === undefined) throw new EmbeddingError('not_usable', `an embedder must be ${EMBEDDER_FORMS}`);
  return read;
}
