/**
 * Rows of cells under a header. Cells are text, and missing ones at the end of a row are empty; the first
 * `labels` columns are text, the others figures.
 */
export interface Table {
  readonly title: string;
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** Number of label columns, from the left: aligned left. The others are aligned right. */
  readonly labels: number;
}

/** Returns the table as aligned columns for a terminal. */
export function toPlainText(table: Table): string {
  const lines = [table.header, ...table.rows];
  const widths = table.header.map((_, column) => Math.max(...lines.map((cells) => widthOf(cells[column]))));
  const format = (cells: readonly string[]): string =>
    widths
      .map((width, column) => pad(cells[column] ?? '', width, column < table.labels))
      .join('  ')
      .trimEnd();
  const rule = widths.map((width) => '-'.repeat(width)).join('  ');
  return [table.title, '', format(table.header), rule, ...table.rows.map(format), ''].join('\n');
}

/** Returns the table as GitHub-flavoured Markdown, without its title. */
export function toMarkdown(table: Table): string {
  const format = (cells: readonly string[]): string =>
    `| ${table.header.map((_, column) => (cells[column] ?? '').replaceAll('|', '\\|')).join(' | ')} |`;
  const rule = table.header.map((_, column) => (column < table.labels ? '---' : '---:'));
  return [format(table.header), format(rule), ...table.rows.map(format), ''].join('\n');
}

/** Returns the table with these columns only, in this order. Columns of text come first. */
export function selectColumns(table: Table, names: readonly string[]): Table {
  const columns = names.map((name) => table.header.indexOf(name));
  return {
    title: table.title,
    header: names,
    rows: table.rows.map((cells) => columns.map((column) => cells[column] ?? '')),
    labels: columns.filter((column) => column < table.labels).length,
  };
}

/** Formats a figure with a fixed number of decimals, or a dash if it was not measured. */
export function figure(value: number | undefined, decimals = 3): string {
  return value === undefined ? '–' : value.toFixed(decimals);
}

function pad(cell: string, width: number, isLabel: boolean): string {
  const space = ' '.repeat(width - widthOf(cell));
  return isLabel ? cell + space : space + cell;
}

function widthOf(cell: string | undefined): number {
  return [...(cell ?? '')].length;
}
