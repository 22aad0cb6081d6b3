import type { AttachPlan, Warning } from './plan/plan-attachment.ts';

/** A plan, and what else is said of it or needed to carry it out. Plain data: a dry run stores it. */
export interface PlannedAttachment {
  readonly plan: AttachPlan;
  readonly keep: readonly string[];
  readonly autoPrune: boolean;
  readonly minScore: number;
  /** Tools that were looked at. */
  readonly processed: number;
  readonly passed: number;
  /** By id, how well attached tools fit: higher is better. */
  readonly relevance: Readonly<Record<string, number>>;
  readonly warnings: readonly Warning[];
}
