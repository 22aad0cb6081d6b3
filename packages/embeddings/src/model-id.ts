import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { readEmbedderAddress } from './embedder-address.ts';
import { MODEL_FILE, TOKENIZER_FILE } from './onnx/text-model.ts';

/**
 * What is the same for every process with the same model, and for no other: of an endpoint its address, of a local model what its files hold, wherever they are.
 *
 * Rejects when a file cannot be read.
 */
export async function modelId(address: string): Promise<string> {
  const read = readEmbedderAddress(address);
  if (read?.kind !== 'onnx') return address;
  const hash = createHash('sha256');
  for (const file of [MODEL_FILE, TOKENIZER_FILE])
    for await (const chunk of createReadStream(join(read.folder, file))) hash.update(chunk as Buffer);
  return `onnx ${hash.digest('hex')}`;
}
