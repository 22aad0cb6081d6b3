import type { Sections } from '../sections.ts';
import { formatCount, formatShare } from '../text/format.ts';
import type { Part } from './part.ts';

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
