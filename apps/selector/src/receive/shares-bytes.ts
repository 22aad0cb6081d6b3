const SAMPLES = 8;

/**
 * Whether `known`, from `from` on, and `piece` agree for as long as both last.
 *
 * A few bytes spread over the piece are looked at before all of them: of many catalogues that start alike, nearly all are
 * told apart there, at a fraction of what one call into the memory comparison costs.
 */
export function sharesBytes(known: Buffer, from: number, piece: Buffer): boolean {
  const length = Math.min(piece.length, known.length - from);
  const step = Math.ceil(length / SAMPLES);
  // From the end of the piece to its start: catalogues tend to differ later rather than sooner.
  for (let at = length - 1; at >= 0; at -= step) {
    if (known[from + at] !== piece[at]) return false;
  }
  return known.compare(piece, 0, length, from, from + length) === 0;
}
