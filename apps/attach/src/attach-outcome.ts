import type { NamedTool, Warning } from './plan/plan-attachment.ts';

/** A new tool that was attached. */
export interface AttachedMatch extends NamedTool {
  readonly score: number;
}

/** Why a tool that passed was not attached. */
export const ATTACH_FAILURES = [
  'limit',
  'not_found',
  'not_registered',
  'letta_error',
  'letta_timeout',
  'lost_after_attach',
] as const;
export type AttachFailure = (typeof ATTACH_FAILURES)[number];

export interface FailedMatch {
  readonly id: string | undefined;
  readonly name: string;
  readonly error: AttachFailure;
}

/** What has become of an agent: facts, as far as Letta confirmed them. */
export interface AttachOutcome {
  readonly attached: readonly AttachedMatch[];
  readonly failed: readonly FailedMatch[];
  /** Ids of what is gone, by why it went. */
  readonly prunedBefore: readonly string[];
  readonly detached: readonly string[];
  readonly prunedAfter: readonly string[];
  /** Ids of what should be gone and is not. */
  readonly failedDetachments: readonly string[];
  /** The agent got back what it had, as nothing could be attached. */
  readonly isRolledBack: boolean;
  readonly after: number;
  readonly warnings: readonly Warning[];
}
