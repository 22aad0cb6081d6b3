import type { NamedTool, Warning } from './plan/plan-attachment.ts';

/** A new tool that was attached. */
export interface AttachedMatch extends NamedTool {
  readonly score: number;
}

/** The reason why a tool that passed was not attached. */
export type AttachFailure =
  | 'limit'
  | 'not_found'
  | 'not_registered'
  | 'letta_error'
  | 'letta_timeout'
  | 'lost_after_attach';

export interface FailedMatch {
  readonly id: string | undefined;
  readonly name: string;
  readonly error: AttachFailure;
}

/** The changes of an agent's tools that Letta confirmed. */
export interface AttachOutcome {
  readonly attached: readonly AttachedMatch[];
  readonly failed: readonly FailedMatch[];
  /** Ids of the detached tools, by reason. */
  readonly prunedBefore: readonly string[];
  readonly detached: readonly string[];
  readonly prunedAfter: readonly string[];
  /** Ids of tools that could not be detached. */
  readonly failedDetachments: readonly string[];
  /** Whether the agent got back its tools because none could be attached. */
  readonly isRolledBack: boolean;
  readonly after: number;
  readonly warnings: readonly Warning[];
}
