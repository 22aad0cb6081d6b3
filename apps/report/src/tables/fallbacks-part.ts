import { printable } from '@winnow/core';
import { rateOf } from '../counting/rate.ts';
import type { Sections } from '../sections.ts';
import { rateRow } from './count-cells.ts';
import type { Part } from './part.ts';

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
