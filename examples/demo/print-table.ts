import { type ExchangeRecord, toolTokens } from '@winnow/core';
import { count, savedTokens, type Write } from './narrator.ts';

/** Prints a table of what each exchange sent and saved, with a total for each format. */
export function printTable(records: readonly ExchangeRecord[], write: Write): void {
  const head = ['exchange', 'calls', 'searches', 'tools shown', 'tokens of tools', 'instead of', 'saved'];
  const rows = [...Map.groupBy(records, ({ format }) => format)].flatMap(([format, exchanges]) => [
    ...exchanges.map((record, number) => rowOf(`${format} ${number + 1}`, [record])),
    rowOf(`${format}, all`, exchanges),
  ]);
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => row[column]!.length)));
  for (const row of [head, widths.map((width) => '─'.repeat(width)), ...rows]) {
    const cells = row.map((cell, column) =>
      column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!),
    );
    write(`${cells.join('  ')}\n`);
  }
}

function rowOf(title: string, records: readonly ExchangeRecord[]): string[] {
  const sum = (measure: (record: ExchangeRecord) => number) =>
    records.reduce((total, record) => total + measure(record), 0);
  const before = sum(({ toolBytes }) => toolTokens(toolBytes.before));
  const saved = sum(savedTokens);
  return [
    title,
    count(sum(({ upstreamCalls }) => upstreamCalls)),
    count(sum(({ searches }) => searches.length)),
    count(sum(({ tools }) => tools.total - tools.deferred + tools.loaded + 1)),
    count(before - saved),
    count(before),
    `${Math.round((100 * saved) / before)} %`,
  ];
}
