import { printable } from '@winnow/core';
import type { Finding, FindingState } from './findings.ts';
import { findingsFor } from './findings.ts';
import type { RolloutStep } from './rollout-step.ts';
import type { Sections } from './sections.ts';
import { formatCount, formatShare } from './text/format.ts';

/** An advice with its findings. */
export interface Verdict {
  /** The rollout step of the newest record; undefined without a record that has one. */
  readonly step?: RolloutStep;
  /** Undefined at the last step: then the findings are about staying there. */
  readonly next?: RolloutStep;
  readonly state: FindingState;
  readonly summary: string;
  readonly findings: readonly Finding[];
  /** Explanations of the findings. */
  readonly notes: readonly string[];
}

const NEXT: Readonly<Record<RolloutStep, RolloutStep | undefined>> = {
  off: 'dark',
  dark: 'shadow',
  shadow: 'partial',
  partial: 'full',
  full: undefined,
};

/** Returns the title of a verdict. */
export function titleOf({ step, next }: Pick<Verdict, 'step' | 'next'>): string {
  if (step === undefined) return 'Verdict';
  return next === undefined ? `Verdict: staying at ${step}` : `Verdict: ${step} → ${next}`;
}

/** Returns what blocks the next step of the rollout. It is advice: no number depends on it. */
export function judge(sections: Sections): Verdict {
  const { step } = sections.steps;
  const notes = notesOn(sections);
  if (step === undefined) {
    const summary = 'There is nothing to judge: no record shows the current step of the rollout.';
    return { state: 'unclear', summary, findings: [], notes };
  }
  const next = NEXT[step];
  const findings = findingsFor(step, sections);
  const summary = summarise(step, next, findings);
  return { step, ...(next !== undefined && { next }), state: worst(findings), summary, findings, notes };
}

function worst(findings: readonly Finding[]): FindingState {
  if (findings.some(({ state }) => state === 'against')) return 'against';
  return findings.some(({ state }) => state === 'unclear') ? 'unclear' : 'clear';
}

function summarise(step: RolloutStep, next: RolloutStep | undefined, findings: readonly Finding[]): string {
  if (step === 'off' && worst(findings) === 'clear') {
    return 'The rollout is off: the records say nothing about tools or searches. The step to dark alters no request and shows how well the selector works.';
  }
  const goal = next === undefined ? 'staying at full' : `the step from ${step} to ${next}`;
  const against = findings.filter(({ state }) => state === 'against').length;
  const unclear = findings.filter(({ state }) => state === 'unclear').length;
  const few = unclear === 1 ? 'one metric has' : `${unclear} metrics have`;
  if (against > 0) {
    const block = against === 1 ? 'One metric blocks' : `${against} metrics block`;
    return `${block} ${goal}${unclear > 0 ? `, and ${few} too little data` : ''}.`;
  }
  if (unclear > 0) return `Nothing blocks ${goal} yet, but ${few} too little data. Gather more traffic.`;
  return `Nothing blocks ${goal}.`;
}

const DAY_MS = 24 * 3_600_000;

/** Returns sentences that explain the numbers. */
function notesOn({ traffic, steps, sessions, watching, tools }: Sections): string[] {
  const notes: string[] = [];
  const { from, to } = traffic;
  if (from !== undefined && to !== undefined && Date.parse(to) - Date.parse(from) < DAY_MS) {
    notes.push('The records span less than a day. Traffic of other hours and days may look different.');
  }
  if (steps.seen.length > 1) {
    notes.push(
      `The records hold several steps of the rollout (${steps.seen.join(', ')}), and the numbers mix them. The newest is ${steps.step} since ${steps.since}: --since ${steps.since} reports on that step alone.`,
    );
  }
  if (steps.switchedOff > 0) {
    notes.push(`In ${formatCount(steps.switchedOff)} exchanges, settings switched tool discovery off.`);
  }
  if (sessions.inSeveralArms > 0) {
    const share = formatShare(sessions.inSeveralArms / sessions.sampled);
    notes.push(
      `${formatCount(sessions.inSeveralArms)} sessions (${share}) were seen in more than one arm. That is normal if the step or the percentage changed in between; otherwise check that all proxies have the same sessions.secret and rollout settings.`,
    );
  }
  if (watching.notJudged > 0) {
    notes.push(
      `${formatCount(watching.notJudged)} exchanges with a call are not in the rates of missed tools: their search failed, so all tools would have been shown.`,
    );
  }
  if (tools.keepingNothing.length > 0) {
    notes.push(
      `always_keep has entries that match no tool of any request: ${tools.keepingNothing.map(printable).join(', ')}. Check for misspelt names and removed tools.`,
    );
  }
  return notes;
}
