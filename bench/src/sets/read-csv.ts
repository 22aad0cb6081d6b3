/**
 * Returns the rows of comma-separated values: quoted fields may contain commas, line ends and doubled quotes.
 * Source: RFC 4180.
 */
export function readCsv(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  // A field, quoted or not, and its terminator.
  for (const [match, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/g)) {
    if (match === '' && row.length === 0) break;
    row.push(quoted?.replaceAll('""', '"') ?? plain ?? '');
    if (end === ',') continue;
    rows.push(row);
    row = [];
  }
  return rows;
}
