import type { Figure } from '../marks.ts';
import { summarizeTimes } from '../summarize-times.ts';
import { figure, type Table } from '../table.ts';
import { idleTable } from './idle-table.ts';
import { type ChaosMeasurements, PHASES } from './measure-chaos.ts';
import { failureCount } from './tally.ts';

/** Returns the tables of a chaos run. */
export function chaosTables(chaos: ChaosMeasurements): Table[] {
  return [mischiefTable(chaos), phaseTable(chaos), waitTable(chaos), idleTable(chaos.before, chaos.after)];
}

/** Returns the troubles, and the traffic and waiting times of each phase. */
export function chaosFigures(chaos: ChaosMeasurements): readonly Figure[] {
  const troubles = [...chaos.mischief.values()];
  const phases = PHASES.map((phase) => {
    const { tally } = chaos.phases[phase];
    const { p50, p99, max } = summarizeTimes(tally.durationsMs);
    const seconds = [p50, p99, max].map((ms) => figure(ms / 1_000, 2));
    return {
      what: `${phase}: conversations, good answers; seconds until a whole answer (p50, p99, longest)`,
      measured: `${tally.begun}, ${tally.good}; ${seconds.join(', ')}`,
    };
  });
  const count = troubles.reduce((sum, times) => sum + times, 0);
  return [{ what: `troubles, of ${troubles.length} kinds`, measured: String(count) }, ...phases];
}

function mischiefTable({ mischief }: ChaosMeasurements): Table {
  return {
    title: 'What went wrong on purpose',
    header: ['what', 'times'],
    rows: [...mischief].map(([name, count]) => [name, String(count)]),
    labels: 1,
  };
}

function phaseTable({ phases, calmCounts, peaceCounts }: ChaosMeasurements): Table {
  const storeFailures = new Map([
    ['calm', calmCounts.sessionErrors],
    ['peace', peaceCounts.sessionErrors],
  ]);
  return {
    title: 'What came of it',
    header: [
      'phase',
      'conversations',
      'good answers',
      'failures',
      'told to go elsewhere',
      'closed while idle',
      'upstream requests',
      'complaints',
      'about thinking',
      'failures of the session store',
    ],
    rows: PHASES.map((phase) => {
      const { tally, upstream } = phases[phase];
      const { begun, good, drained, stale } = tally;
      const { requests, complaints, thinkingComplaints } = upstream;
      const counts = [
        begun,
        good,
        failureCount(tally),
        drained,
        stale,
        requests,
        complaints,
        thinkingComplaints,
      ];
      return [phase, ...counts.map(String), String(storeFailures.get(phase) ?? '–')];
    }),
    labels: 1,
  };
}

function waitTable({ phases }: ChaosMeasurements): Table {
  return {
    title: 'How long users waited for a whole answer (s)',
    header: ['phase', 'p50', 'p95', 'p99', 'longest'],
    rows: PHASES.map((phase) => {
      const { p50, p95, p99, max } = summarizeTimes(phases[phase].tally.durationsMs);
      return [phase, ...[p50, p95, p99, max].map((ms) => figure(ms / 1_000, 2))];
    }),
    labels: 1,
  };
}
