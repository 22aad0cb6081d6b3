import { RolloutArm } from '@winnow/contract';
import type { Counts } from '../counting/counts.ts';
import { sumOf } from '../counting/counts.ts';
import type { Names } from '../counting/top-names.ts';
import type { Sections } from '../sections.ts';
import { formatCount, formatShare } from '../text/format.ts';
import { printable } from '../text/printable.ts';
import { namesNote, namesTable } from './names-table.ts';
import type { Part, Table } from './part.ts';

/** What came in, in which arm, and why. */
export function trafficPart({ traffic }: Sections): Part {
  const { looked, streams } = traffic;
  const sentences =
    looked === 0
      ? []
      : [
          `${formatCount(streams)} of ${formatCount(looked)} exchanges that were looked at (${formatShare(streams / looked)}) were streamed.`,
        ];
  return {
    id: 'traffic',
    title: 'Traffic and arms',
    sentences,
    tables: [
      armsTable(traffic),
      causesTable(traffic),
      reasonsTable(traffic),
      planTable(traffic),
      kindsTable(traffic),
    ].filter((table) => table !== undefined),
  };
}

function armsTable({ arms, outcomes, exchanges }: Sections['traffic']): Table {
  const rows = RolloutArm.options
    .filter((arm) => arms[arm] !== undefined)
    .map((arm) => {
      const { answered = 0, failed = 0, client_gone = 0 } = outcomes[arm] ?? {};
      const count = arms[arm] ?? 0;
      const cells = [count, answered, failed, client_gone].map(formatCount);
      return [arm, cells[0]!, formatShare(count / exchanges), ...cells.slice(1)];
    });
  return {
    title: 'Exchanges by arm',
    columns: ['Arm', 'Exchanges', 'Share', 'Answered', 'Failed', 'Client left'],
    rows,
    ...(arms.off !== undefined && {
      note: 'Requests of arm off are not looked at: they are in no number of tools, searches or observations below.',
    }),
  };
}

function causesTable({ failureCauses }: Sections['traffic']): Table | undefined {
  return namesTable(
    'Failed exchanges, by upstream, status and cause',
    'Upstream, status, cause',
    failureCauses,
  );
}

function reasonsTable({ armReasons, strategies, loadModes, statuses }: Sections['traffic']): Table {
  return {
    title: 'Why that arm, and what was set',
    columns: ['Kind', 'Value', 'Exchanges', 'Share'],
    textColumns: 2,
    rows: [
      ...countRows('Arm because', armReasons),
      ...countRows('Strategy', strategies),
      ...countRows('Load mode', loadModes),
      ...countRows('Status', statuses),
    ],
  };
}

function planTable({ planReasons }: Sections['traffic']): Table {
  const note = namesNote(planReasons);
  return {
    title: 'What became of the tools, arm off aside',
    columns: ['Reason', 'Exchanges', 'Share'],
    rows: nameRows(planReasons),
    ...(note !== undefined && { note }),
  };
}

function kindsTable({ formats, upstreams, models }: Sections['traffic']): Table {
  const note = namesNote(models);
  const rows = [
    ...nameRows(formats).map((row) => ['Format', ...row]),
    ...nameRows(upstreams).map((row) => ['Upstream', ...row]),
    ...nameRows(models).map((row) => ['Model', ...row]),
  ];
  return {
    title: 'Formats, upstreams, models',
    columns: ['Kind', 'Name', 'Exchanges', 'Share'],
    textColumns: 2,
    rows,
    ...(note !== undefined && { note }),
  };
}

function countRows(kind: string, counts: Counts<string>): string[][] {
  const total = sumOf(counts);
  return Object.entries(counts).map(([key, count = 0]) => [
    kind,
    key,
    formatCount(count),
    formatShare(count / total),
  ]);
}

function nameRows({ top, total }: Names): string[][] {
  return top.map(({ name, count }) => [printable(name), formatCount(count), formatShare(count / total)]);
}
