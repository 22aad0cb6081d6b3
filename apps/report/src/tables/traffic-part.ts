import { RolloutArm } from '@winnow/core';
import { type Counts, sumOf } from '../counting/tallies.ts';
import type { Names } from '../counting/top-names.ts';
import type { Sections } from '../sections.ts';
import { formatCount, formatShare } from '../text/format.ts';
import type { Part, Table } from './cells.ts';
import { countRows, nameRows, namesNote, namesTable } from './cells.ts';

/** Returns the exchanges by arm and reason. */
export function trafficPart({ traffic }: Sections): Part {
  return {
    id: 'traffic',
    title: 'Traffic and arms',
    sentences: [],
    tables: [
      armsTable(traffic),
      namesTable(
        'Failed exchanges, by upstream, status and cause',
        'Upstream, status, cause',
        traffic.failureCauses,
      ),
      reasonsTable(traffic),
      planTable(traffic),
      kindsTable(traffic),
    ],
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
    note:
      arms.off === undefined
        ? undefined
        : 'Requests of arm off are not read, so the numbers of tools, searches and observations below do not include them.',
  };
}

function reasonsTable({ armReasons, strategies, loadModes, statuses }: Sections['traffic']): Table {
  const rows = (kind: string, counts: Counts<string>) =>
    countRows(counts, sumOf(counts)).map((row) => [kind, ...row]);
  return {
    title: 'Reasons for the arm, and settings',
    columns: ['Kind', 'Value', 'Exchanges', 'Share'],
    textColumns: 2,
    rows: [
      ...rows('Arm because', armReasons),
      ...rows('Strategy', strategies),
      ...rows('Load mode', loadModes),
      ...rows('Status', statuses),
    ],
  };
}

function planTable({ planReasons }: Sections['traffic']): Table {
  return {
    title: 'Treatment of the tools, without arm off',
    columns: ['Reason', 'Exchanges', 'Share'],
    rows: nameRows(planReasons),
    note: namesNote(planReasons),
  };
}

function kindsTable({ formats, upstreams, models, profiles }: Sections['traffic']): Table {
  const rows = (kind: string, names: Names) => nameRows(names).map((row) => [kind, ...row]);
  return {
    title: 'Formats, upstreams, models, profiles',
    columns: ['Kind', 'Name', 'Exchanges', 'Share'],
    textColumns: 2,
    rows: [
      ...rows('Format', formats),
      ...rows('Upstream', upstreams),
      ...rows('Model', models),
      ...rows('Profile', profiles),
    ],
    note: namesNote(models),
  };
}
