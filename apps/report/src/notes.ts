import { printable } from '@winnow/text';
import type { Sections } from './sections.ts';
import { formatCount, formatShare } from './text/format.ts';

const DAY_MS = 24 * 3_600_000;

/** Returns sentences that explain the numbers. */
export function notesOn({ traffic, steps, sessions, watching, tools }: Sections): string[] {
  const notes: string[] = [];
  const { from, to } = traffic;
  if (from !== undefined && to !== undefined && Date.parse(to) - Date.parse(from) < DAY_MS) {
    notes.push('The records span less than a day. Traffic of other hours and days may look different.');
  }
  if (steps.seen.length > 1) {
    notes.push(
      `The records hold several steps of the rollout (${steps.seen.join(', ')}), and the numbers mix them. The newest is ${steps.step} since ${steps.since}: --since ${steps.since} looks at it alone.`,
    );
  }
  if (steps.switchedOff > 0) {
    notes.push(
      `In ${formatCount(steps.switchedOff)} exchanges tool discovery was switched off by its own settings.`,
    );
  }
  if (sessions.inSeveralArms > 0) {
    const share = formatShare(sessions.inSeveralArms / sessions.sampled);
    notes.push(
      `${formatCount(sessions.inSeveralArms)} sessions (${share}) were seen in more than one arm. That is so when the step or the percentage was changed in between; otherwise look whether all proxies have the same sessions.secret and rollout settings.`,
    );
  }
  if (watching.notJudged > 0) {
    notes.push(
      `${formatCount(watching.notJudged)} exchanges with a call are in no rate of missed tools: their search failed, so all tools would have been shown.`,
    );
  }
  if (tools.keepingNothing.length > 0) {
    notes.push(
      `always_keep has what fits no tool of any request: ${tools.keepingNothing.map(printable).join(', ')}. Look for a misspelt name, or for a tool that is gone.`,
    );
  }
  return notes;
}
