import type { RegistryOffer } from '@winnow/contract';
import type { Sections } from '../sections.ts';
import { formatCount, formatMs, formatShare } from '../text/format.ts';
import type { Part, Table } from './part.ts';

/** What became of wishes for the registry's tools; undefined where nobody had one. */
export function offersPart({ offers }: Sections): Part | undefined {
  if (offers.asked + offers.calls === 0) return undefined;
  return {
    id: 'registry-tools',
    title: "The registry's tools",
    sentences: [
      `${formatCount(offers.asked)} requests asked for the registry's tools; models made ${formatCount(offers.calls)} calls of them.`,
    ],
    tables: [offersTable(offers), callsTable(offers)],
  };
}

/** What each outcome means to a reader. */
const OFFER_WORDS: Readonly<Record<RegistryOffer | 'unknown', string>> = {
  made: 'made',
  switched_off: 'not made: registry.offer is not set',
  left_alone: 'not made: the request was left alone',
  name_collision: 'not made: the client has a tool of such a name',
  tool_choice: 'not made: the client forbids or forces calls',
  no_room: 'not made: what the request declares leaves no room for functions',
  short_of_memory: 'not made: short of memory',
  registry_away: 'not made: the registry is away',
  unknown: 'for a reason that this version does not know',
};

function offersTable({ offers, asked }: Sections['offers']): Table {
  const rows = Object.entries(offers)
    .sort(([, a = 0], [, b = 0]) => b - a)
    .map(([outcome, count = 0]) => [
      OFFER_WORDS[outcome as keyof typeof OFFER_WORDS],
      formatCount(count),
      formatShare(count / asked),
    ]);
  return { title: 'Offers', columns: ['Offer', 'Requests', 'Share'], rows };
}

function callsTable({ outcomes, calls, ms }: Sections['offers']): Table {
  const rows = Object.entries(outcomes)
    .sort(([, a = 0], [, b = 0]) => b - a)
    .map(([outcome, count = 0]) => [outcome, formatCount(count), formatShare(count / calls)]);
  return {
    title: 'Calls, by tool and outcome',
    columns: ['Call', 'Calls', 'Share'],
    rows,
    ...(calls > 0 && {
      note: `A call took ${formatMs(ms.p50)} at the median, ${formatMs(ms.p95)} at the 95th percentile.`,
    }),
  };
}
