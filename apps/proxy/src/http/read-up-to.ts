/** Reads at most the first `limitBytes` of a body and ignores the rest. Rejects if the body breaks off. */
export async function readUpTo(
  body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  limitBytes: number,
): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of body) {
    pieces.push(piece);
    size += piece.length;
    if (size >= limitBytes) break;
  }
  return Buffer.concat(pieces).subarray(0, limitBytes);
}
