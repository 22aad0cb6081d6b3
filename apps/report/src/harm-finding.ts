import type { Finding } from './finding.ts';
import type { Sections } from './sections.ts';
import { formatLimit, formatShare } from './text/format.ts';
import { THRESHOLDS } from './thresholds.ts';

/** Returns the effect of deferring on conversations; undefined without any that were assigned at random. */
export function harmFinding({ harm: { agents } }: Sections): Finding | undefined {
  const [first] = agents;
  if (first === undefined) return undefined;
  const harmed = agents.filter(({ isHarmed, tools }) => isHarmed || tools.length > 0);
  const worst = agents.reduce((one, other) => (other.bound > one.bound ? other : one), first);
  const isClear = worst.bound <= THRESHOLDS.harmedShare;
  return {
    state: harmed.length > 0 ? 'against' : isClear ? 'clear' : 'unclear',
    subject: 'Conversations that deferring affects',
    value:
      harmed.length > 0
        ? `harm is sure for ${harmed.map(({ agent }) => agent).join(', ')}`
        : `at most ${formatShare(worst.bound)} of those of ${worst.agent}`,
    limit: `at most ${formatLimit(THRESHOLDS.harmedShare)}, and no sure harm`,
  };
}
