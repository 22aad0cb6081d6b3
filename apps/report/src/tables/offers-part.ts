import type { RegistryOffer } from '@winnow/core';
import type { Sections } from '../sections.ts';
import { formatCount, formatMs } from '../text/format.ts';
import { countRows } from './count-cells.ts';
import type { Part, Table } from './part.ts';

/** Returns the offers of the registry's tools; undefined when no request asked for them. */
export function offersPart({ offers }: Sections): Part | undefined {
  if (offers.asked + offers.calls === 0) return undefined;
  return {
    id: 'registry-tools',
    title: "The registry's tools",
    sentences: [
      `${formatCount(offers.asked)} requests asked for the registry's tools; models called them ${formatCount(offers.calls)} times.`,
    ],
    tables: [offersTable(offers), callsTable(offers)],
  };
}

/** The outcomes in words. */
const OFFER_WORDS: Readonly<Record<RegistryOffer | 'unknown', string>> = {
  made: 'made',
  switched_off: 'not made: registry.offer is not set',
  left_alone: 'not made: the request was left alone',
  name_collision: 'not made: the client has a tool with one of these names',
  tool_choice: 'not made: the client forbids or forces calls',
  no_room: "not made: the request's declarations leave no room for functions",
  short_of_memory: 'not made: too little memory',
  registry_away: 'not made: the registry was down',
  unknown: 'for a reason that this version does not know',
};

function offersTable({ offers, asked }: Sections['offers']): Table {
  return {
    title: 'Offers',
    columns: ['Offer', 'Requests', 'Share'],
    rows: countRows(offers, asked, OFFER_WORDS),
  };
}

function callsTable({ outcomes, calls, ms }: Sections['offers']): Table {
  return {
    title: 'Calls, by tool and outcome',
    columns: ['Call', 'Calls', 'Share'],
    rows: countRows(outcomes, calls),
    note: `A call took ${formatMs(ms.p50)} at the median, ${formatMs(ms.p95)} at the 95th percentile.`,
  };
}
