import type { Mark } from '../marks.ts';
import { equal, none } from './count-marks.ts';
import { unansweredSearches } from './count-proxies.ts';
import { idleMarks } from './idle-marks.ts';
import { type ChaosMeasurements, PHASES } from './measure-chaos.ts';
import { failureCount } from './tally.ts';

/** In bytes. The code for failures is compiled only after the calm. */
const MOST_HELD_GROWTH = 16 * 2 ** 20;

/** Returns the requirements of a chaos run. */
export function chaosMarks({ phases, peaceCounts, drains, before, after }: ChaosMeasurements): Mark[] {
  const { peace } = phases;
  return [
    ...PHASES.map((phase) =>
      none(`${phase}: answers that were missing, late or wrong`, failureCount(phases[phase].tally)),
    ),
    ...PHASES.map((phase) => {
      const { complaints, thinkingComplaints } = phases[phase].upstream;
      return none(
        `${phase}: complaints of the upstream, but about thinking`,
        complaints - thinkingComplaints,
      );
    }),
    none('proxies that did not end well when drained', drains.bad.length),
    none('peace: complaints of the strict upstream', peace.upstream.complaints),
    equal('peace: conversations that ended well', peace.tally.begun, peace.tally.finished),
    equal('peace: exchanges that the proxies have counted', peace.tally.requests, peaceCounts.exchanges),
    none('peace: searches that were not answered', unansweredSearches(peaceCounts)),
    none('peace: failures of the session store', peaceCounts.sessionErrors),
    none('peace: exchanges that fell back to showing everything', peaceCounts.fallbacks),
    none('exchanges still open', peaceCounts.open),
    ...idleMarks(before, after, MOST_HELD_GROWTH),
  ];
}
