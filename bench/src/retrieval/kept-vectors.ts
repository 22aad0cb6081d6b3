import { existsSync, readFileSync, writeFileSync } from 'node:fs';

/**
 * Returns vectors by the hash of their texts, saved by an earlier run with the same embedder; none without a
 * file.
 */
export function readVectors(file: string | undefined): Map<string, Int8Array> {
  if (file === undefined || !existsSync(file)) return new Map();
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
  return new Map(
    lines.map((line) => {
      const [key, vector] = line.split(' ');
      return [key!, Int8Array.from(new Int8Array(Buffer.from(vector!, 'base64')))];
    }),
  );
}

export function writeVectors(file: string, vectors: ReadonlyMap<string, Int8Array>): void {
  const lines = [...vectors].map(([key, vector]) => `${key} ${Buffer.from(vector).toString('base64')}\n`);
  writeFileSync(file, lines.join(''));
}
