import { printable, RolloutArm } from '@winnow/core';
import { rateOf } from '../counting/rate.ts';
import type { LineCounts } from '../reading/read-records.ts';
import type { Report } from '../report.ts';
import type { ArmLatency } from '../sections/latency.ts';
import type { Sections } from '../sections.ts';
import { suggestionsPart } from '../suggestions.ts';
import { formatCount, formatMs, formatShare } from '../text/format.ts';
import type { Part } from './cells.ts';
import { rateRow } from './cells.ts';
import { moneyPart } from './money-part.ts';
import { searchesPart } from './searches-part.ts';
import { toolCostsPart } from './tool-costs-part.ts';
import { toolsPart } from './tools-part.ts';
import { trafficPart } from './traffic-part.ts';
import { watchingPart } from './watching-part.ts';

/** Conversations: how many, how long, and whether each stayed in its arm. */
export function sessionsPart({ sessions, traffic }: Sections): Part {
  const part = { id: 'sessions', title: 'Sessions' } as const;
  const { count, isExact, sampled, exchangesPerSession: length, inSeveralArms } = sessions;
  if (sampled === 0)
    return { ...part, sentences: ['No exchange could be assigned to a session.'], tables: [] };
  const without = sessions.exchangesWithoutSession;
  return {
    ...part,
    sentences: isExact
      ? []
      : [
          `There were too many sessions to hold them all: the figures are from a uniform sample of ${formatCount(sampled)}.`,
        ],
    tables: [
      {
        title: 'Sessions',
        columns: ['What', 'Number', 'Share'],
        rows: [
          ['Sessions', `${isExact ? '' : 'about '}${formatCount(count)}`, ''],
          ['Exchanges per session, mean', length.mean.toFixed(1), ''],
          ['Exchanges per session, p50', formatCount(length.p50), ''],
          ['Exchanges per session, p95', formatCount(length.p95), ''],
          ['Exchanges per session, most', formatCount(length.max), ''],
          ['Seen in more than one arm', formatCount(inSeveralArms), formatShare(inSeveralArms / sampled)],
          ['Exchanges without a session', formatCount(without), formatShare(without / traffic.exchanges)],
        ],
      },
    ],
  };
}

const WORDS: readonly { readonly key: keyof LineCounts; readonly label: string }[] = [
  { key: 'records', label: 'Records that are counted' },
  { key: 'lists', label: 'Lists of tools' },
  { key: 'outside_period', label: 'Records outside the period' },
  { key: 'other_line', label: 'Other events of a log' },
  { key: 'not_json', label: 'Text, or lines cut in two' },
  { key: 'other_version', label: 'Records of another version' },
  { key: 'invalid', label: 'Records with missing or wrong fields' },
  { key: 'too_long', label: 'Lines of more than 1 MiB' },
];

/** Returns the lines read, and those that could not be used. */
export function readingPart({ reading, sources }: Report): Part {
  const { counts, broken } = reading;
  return {
    id: 'reading',
    title: 'What was read',
    sentences: [
      `${formatCount(counts.lines)} lines of ${sources.length === 1 ? printable(sources[0]!) : `${sources.length} sources`}.`,
      ...broken.map(
        ({ source, message }) =>
          `${printable(source)} ended early: ${printable(message)}. The data before that is counted.`,
      ),
    ],
    tables: [
      {
        title: 'Lines',
        columns: ['What', 'Lines'],
        rows: WORDS.filter(({ key }) => key === 'records' || counts[key] > 0).map(({ key, label }) => [
          label,
          formatCount(counts[key]),
        ]),
      },
    ],
  };
}

/** The measures in words, in the order of the table and the plot. */
export const MEASURES: readonly { readonly key: keyof ArmLatency; readonly label: string }[] = [
  { key: 'added', label: 'added by Winnow' },
  { key: 'hiddenRounds', label: 'hidden rounds' },
  { key: 'total', label: 'whole exchange' },
];

/** Returns the times that clients waited, by arm. */
export function latencyPart({ latency }: Sections): Part {
  const rows = RolloutArm.options.flatMap((arm) => {
    const measured = latency[arm];
    if (measured === undefined) return [];
    return (
      MEASURES.filter(({ key }) => measured[key].max > 0)
        // Arm off has no plan and no search: only the whole exchange is meaningful.
        .filter(({ key }) => arm !== 'off' || key === 'total')
        .map(({ key, label }) => {
          const { count, p50, p95, p99, max } = measured[key];
          return [arm, label, formatCount(count), ...[p50, p95, p99, max].map(formatMs)];
        })
    );
  });
  return {
    id: 'latency',
    title: 'Latency',
    sentences: [],
    tables: [
      {
        title: 'What clients waited for',
        columns: ['Arm', 'Time', 'Exchanges', 'p50', 'p95', 'p99', 'Longest'],
        textColumns: 2,
        rows,
        note: 'Searches: over exchanges with one. Hidden rounds: over exchanges with one; they are time of the upstream and not part of "added". Percentiles of parts do not add up.',
      },
    ],
  };
}

/** Returns how often Winnow fell back, and why. */
export function fallbacksPart({ fallbacks, traffic }: Sections): Part {
  const part = { id: 'fallbacks', title: 'Fallbacks' } as const;
  if (traffic.arms.full === undefined) {
    return {
      ...part,
      sentences: ['No exchange of arm full: nothing was altered, so nothing had to be undone.'],
      tables: [],
    };
  }
  const { failedSearches, failedOpen, restored, limited, sessionErrors, vain, withoutTool } = fallbacks;
  return {
    ...part,
    sentences: [
      'None of these is an error for a client: it got the response it would have got without Winnow.',
    ],
    tables: [
      {
        title: 'Fallbacks of arm full',
        columns: ['What', 'Number', 'Of', 'Share', '95% interval'],
        rows: [
          rateRow("Models' searches that failed", failedSearches),
          ...fallbacks.failedSearchCauses.top.map(({ name, count }) =>
            rateRow(`· ${printable(name)}`, rateOf(count, failedSearches.whole)),
          ),
          rateRow('Deferring exchanges that showed all tools after that', failedOpen),
          rateRow('Deferring exchanges restored to the original request', restored),
          ...Object.entries(fallbacks.restoredReasons).map(([reason, count = 0]) =>
            rateRow(`· ${reason}`, rateOf(count, restored.whole)),
          ),
          rateRow('Searches that found nothing, or too little', vain),
          rateRow('Deferring exchanges whose model did not get a tool', withoutTool),
          rateRow('Searching exchanges that met the limit of searches', limited),
          rateRow('Exchanges with session store errors', sessionErrors),
        ],
      },
    ],
  };
}

/** Returns all parts of a report, the most important for a decision first, without empty tables. */
export function partsOf(report: Report): Part[] {
  if (report.traffic.exchanges === 0) return [readingPart(report)];
  const parts = [
    moneyPart(report),
    report.suggestions.length > 0 ? suggestionsPart(report.suggestions) : undefined,
    watchingPart(report),
    toolsPart(report),
    toolCostsPart(report),
    searchesPart(report),
    fallbacksPart(report),
    latencyPart(report),
    trafficPart(report),
    sessionsPart(report),
    readingPart(report),
  ];
  const told = parts.filter((part) => part !== undefined);
  return told.map((part) => ({ ...part, tables: part.tables.filter(({ rows }) => rows.length > 0) }));
}
