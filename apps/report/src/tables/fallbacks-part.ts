import { type Rate, rateOf } from '../counting/rate.ts';
import type { Sections } from '../sections.ts';
import { formatCount, formatInterval, formatShare } from '../text/format.ts';
import { printable } from '../text/printable.ts';
import type { Part } from './part.ts';

/** How often Winnow gave way, and why. */
export function fallbacksPart({ fallbacks, traffic }: Sections): Part {
  const part = { id: 'fallbacks', title: 'Fallbacks' } as const;
  if (traffic.arms.full === undefined) {
    return {
      ...part,
      sentences: ['No exchange of arm full: nothing was altered, so nothing had to be undone.'],
      tables: [],
    };
  }
  const { failedSearches, failedOpen, restored, limited, sessionErrors } = fallbacks;
  return {
    ...part,
    sentences: ['None of these is an error for a client: it got what it would have got without Winnow.'],
    tables: [
      {
        title: 'Fallbacks of arm full',
        columns: ['What', 'Number', 'Of', 'Share', '95% interval'],
        rows: [
          row("Models' searches that failed", failedSearches),
          ...fallbacks.failedSearchCauses.top.map(({ name, count }) =>
            row(`· ${printable(name)}`, rateOf(count, failedSearches.whole)),
          ),
          row('Deferring exchanges that showed all tools after that', failedOpen),
          row('Deferring exchanges restored to the original request', restored),
          ...reasonRows(fallbacks.restoredReasons, restored.whole),
          row('Searching exchanges that met the limit of searches', limited),
          row('Exchanges with session store errors', sessionErrors),
        ],
      },
    ],
  };
}

function reasonRows(reasons: Readonly<Partial<Record<string, number>>>, whole: number): string[][] {
  return Object.entries(reasons).map(([reason, count = 0]) => row(`· ${reason}`, rateOf(count, whole)));
}

function row(label: string, rate: Rate): string[] {
  const known = rate.share === undefined ? ['', ''] : [formatShare(rate.share), formatInterval(rate)];
  return [label, formatCount(rate.part), formatCount(rate.whole), ...known];
}
