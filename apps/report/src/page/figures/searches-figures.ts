import { SearchRecord } from '@winnow/core';
import type { SearchResults } from '../../sections/searches.ts';
import type { Sections } from '../../sections.ts';
import { OUTCOME_WORDS } from '../../tables/searches-part.ts';
import { formatCount, formatShare } from '../../text/format.ts';
import { barsPlot } from '../chart.ts';
import { COLOURS } from '../colours.ts';
import type { Figure } from '../figure.ts';

/** Returns the outcomes of searches. */
export function searchesFigures({ searches, watching }: Sections): Figure[] {
  const groups = [
    { label: 'by models', colour: COLOURS.main, results: searches.results },
    { label: 'alongside requests', colour: COLOURS.warm, results: watching.searches },
  ].filter(({ results }) => results.searches > 0);
  const outcomes = SearchRecord.shape.outcome.options.filter((outcome) =>
    groups.some(({ results }) => results.outcomes[outcome] !== undefined),
  );
  if (outcomes.length === 0) return [];
  return [
    {
      title: 'Outcomes of searches',
      description: `Shares of ${groups.map(({ label, results }) => `${formatCount(results.searches)} searches ${label}`).join(' and of ')}.`,
      legend: groups,
      rowCount: outcomes.length * groups.length,
      draw: (size) =>
        barsPlot({
          size,
          categories: outcomes.map((outcome) => OUTCOME_WORDS[outcome]),
          series: groups.map(({ colour, results }) => {
            const shares = outcomes.map((outcome) => shareOf(results, outcome));
            return { colour, values: shares, labels: shares.map(formatShare) };
          }),
        }),
    },
  ];
}

function shareOf({ outcomes, searches }: SearchResults, outcome: SearchRecord['outcome']): number {
  return (outcomes[outcome] ?? 0) / searches;
}
