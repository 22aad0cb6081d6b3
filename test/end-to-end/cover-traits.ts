/** Chooses rows until each trait of any row is there, first those that add most of them. */
export function coverTraits<Row>(
  rows: readonly Row[],
  traitsOf: (row: Row) => readonly string[],
): readonly Row[] {
  const missing = new Set(rows.flatMap(traitsOf));
  const gainOf = (row: Row) => traitsOf(row).filter((trait) => missing.has(trait)).length;
  const taken: Row[] = [];
  while (missing.size > 0) {
    const gains = rows.map(gainOf);
    const best = rows[gains.indexOf(Math.max(...gains))]!;
    for (const trait of traitsOf(best)) missing.delete(trait);
    taken.push(best);
  }
  return taken;
}
