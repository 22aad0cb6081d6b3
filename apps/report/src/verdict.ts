import type { Finding, FindingState } from './finding.ts';
import { findingsFor } from './findings.ts';
import { notesOn } from './notes.ts';
import type { RolloutStep } from './rollout-step.ts';
import type { Sections } from './sections.ts';

/** An advice with its findings. */
export interface Verdict {
  /** The step that the newest record was made in; undefined without a record that tells. */
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

/** Returns what blocks the next step of the rollout. It is advice: no number depends on it. */
export function judge(sections: Sections): Verdict {
  const { step } = sections.steps;
  const notes = notesOn(sections);
  if (step === undefined) {
    const summary = 'There is nothing to judge: no record tells which step the rollout is at.';
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
    return 'The rollout is off: the records tell nothing of tools or searches. The step to dark alters no request and shows how the selector does.';
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
