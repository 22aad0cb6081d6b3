import { figure, type Table } from '../table.ts';
import { COUNTS, type CountMeasurement, type PreloadMeasurement } from './measure-preload.ts';

/** A column for each number of preloaded tools. */
interface Column {
  readonly title: string;
  readonly of: (measured: CountMeasurement) => string;
}

const share = (value: number) => figure(value * 100, 1);

const MET: readonly Column[] = [
  { title: 'needs met, %', of: ({ needsMet }) => share(needsMet) },
  { title: 'no search, %', of: ({ withoutSearch }) => share(withoutSearch) },
  { title: 'tokens', of: ({ tokens }) => figure(tokens, 0) },
];

const CHANGED: readonly Column[] = [
  { title: 'same when grown, %', of: ({ sameGrown }) => share(sameGrown) },
  { title: 'same when trimmed, %', of: ({ sameTrimmed }) => share(sameTrimmed) },
  { title: 'needs met when trimmed, %', of: ({ needsMetTrimmed }) => share(needsMetTrimmed) },
];

/** Returns a table of each set and their mean, by number of preloaded tools. */
export function preloadTables(measured: readonly PreloadMeasurement[]): Table[] {
  return [
    tableOf('Needs met without a search, and what that takes', MET, measured),
    tableOf('A catalogue that grows, a history that is trimmed', CHANGED, measured),
  ];
}

/** Number of preloaded tools for which the page shows each set; the mean is shown for all. */
const PAGE_COUNT = 5;

/** Returns the needs met for each set, and their mean by number of preloaded tools. */
export function needsTable(measured: readonly PreloadMeasurement[]): Table {
  const table = tableOf('Needs met without a search', [...MET, CHANGED[0]!], measured);
  const [set, count] = [table.header.indexOf('set'), table.header.indexOf('k')];
  const isShown = (cells: readonly string[]) =>
    cells[count] === String(PAGE_COUNT) || (cells[set] === 'mean' && cells[count] !== '0');
  return { ...table, rows: table.rows.filter(isShown) };
}

function tableOf(title: string, columns: readonly Column[], measured: readonly PreloadMeasurement[]): Table {
  return {
    title,
    labels: 1,
    header: ['set', 'conversations', 'tools', 'tokens of all', 'k', ...columns.map((column) => column.title)],
    rows: [...measured, ...meanOf(measured)].flatMap((one) =>
      one.counts.map((count) => [
        one.set,
        String(one.conversations),
        figure(one.tools, 0),
        figure(one.tokensOfAll, 0),
        String(count.count),
        ...columns.map((column) => column.of(count)),
      ]),
    ),
  };
}

/** Returns the mean with equal weight for each set; none for a single set. */
function meanOf(measured: readonly PreloadMeasurement[]): PreloadMeasurement[] {
  if (measured.length < 2) return [];
  const mean = (measureOf: (one: PreloadMeasurement) => number) =>
    measured.reduce((sum, one) => sum + measureOf(one), 0) / measured.length;
  return [
    {
      set: 'mean',
      conversations: measured.reduce((sum, { conversations }) => sum + conversations, 0),
      tools: mean(({ tools }) => tools),
      tokensOfAll: mean(({ tokensOfAll }) => tokensOfAll),
      counts: COUNTS.map((count, at) => ({
        count,
        needsMet: mean(({ counts }) => counts[at]!.needsMet),
        withoutSearch: mean(({ counts }) => counts[at]!.withoutSearch),
        tokens: mean(({ counts }) => counts[at]!.tokens),
        sameGrown: mean(({ counts }) => counts[at]!.sameGrown),
        sameTrimmed: mean(({ counts }) => counts[at]!.sameTrimmed),
        needsMetTrimmed: mean(({ counts }) => counts[at]!.needsMetTrimmed),
      })),
    },
  ];
}
