/**
 * Returns the rows of a table as lines for a terminal: columns are as wide as their widest cell and two spaces
 * apart, the first `textColumns` to the left and all others to the right.
 */
export function alignTable(
  rows: readonly (readonly string[])[],
  textColumns = Number.POSITIVE_INFINITY,
): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  const align = (cell: string, column: number) =>
    column < textColumns ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!);
  return rows.map((row) => row.map(align).join('  ').trimEnd());
}
