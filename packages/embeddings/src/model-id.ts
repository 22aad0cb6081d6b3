import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { readEmbedderAddress } from './embedder-address.ts';
import { MODEL_FILE, TOKENIZER_FILE } from './onnx/text-model.ts';

/**
 * Returns an id that all processes with the same model share: for an endpoint its address, for a local model
 * a hash of its files, regardless of their location.
 *
 * Rejects if a file cannot be read.
 */
export async function modelId(address: string): Promise<string> {
  const read = readEmbedderAddress(address);
  if (read?.kind !== 'onnx') return address;
  const hash = createHash('sha256');
  for (const file of [MODEL_FILE, TOKENIZER_FILE])
    for await (const chunk of createReadStream(join(read.folder, file))) hash.update(chunk as Buffer);
  return `onnx ${hash.digest('hex')}`;
}
