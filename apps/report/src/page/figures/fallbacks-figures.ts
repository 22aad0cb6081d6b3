import type { Rate } from '../../counting/rate.ts';
import type { Sections } from '../../sections.ts';
import { formatInterval, formatLimit, formatShare } from '../../text/format.ts';
import { rangesPlot } from '../chart.ts';
import { COLOURS } from '../colours.ts';
import type { Figure } from '../figure.ts';

/** Returns the fallbacks with their intervals. */
export function fallbacksFigures({ fallbacks }: Sections): Figure[] {
  const rates: readonly { label: string; rate: Rate }[] = [
    { label: 'searches failed', rate: fallbacks.failedSearches },
    { label: 'all tools shown', rate: fallbacks.failedOpen },
    { label: 'restored', rate: fallbacks.restored },
    { label: 'search limit met', rate: fallbacks.limited },
    { label: 'session errors', rate: fallbacks.sessionErrors },
  ];
  const known = rates.filter(({ rate }) => rate.whole > 0);
  if (known.length === 0) return [];
  return [
    {
      title: 'Fallbacks of arm full, as shares',
      description: 'The dot is the observed share; the line is its 95% confidence interval.',
      legend: [{ label: 'seen', colour: COLOURS.main }],
      rowCount: known.length,
      draw: (size) =>
        rangesPlot({
          size,
          rows: known.map(({ label, rate }) => rowOf(label, rate, size.width)),
          formatValue: formatLimit,
        }),
    },
  ];
}

/** Narrower drawings have no room for the interval in figures. */
const WIDE = 400;

function rowOf(label: string, rate: Rate, width: number) {
  const { share = 0, interval } = rate;
  const end = (value: number) => ({ value, colour: 'var(--axis)', isSmall: true });
  return {
    label,
    points: [end(interval?.low ?? 0), { value: share, colour: COLOURS.main }, end(interval?.high ?? 1)],
    text: width < WIDE ? formatShare(share) : `${formatShare(share)} (${formatInterval(rate)})`,
  };
}
