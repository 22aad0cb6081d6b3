import type { LoadMode } from '@winnow/wire';

/** How the requests of one conversation are edited: decided once, so that what stands before its thinking stays the same. */
export interface Verdict {
  /** `bypass`: the upstream took the conversation only as the client wrote it. */
  readonly mode: LoadMode | 'bypass';
  /** The upstream refused the thinking in the history, and took the conversation without it. */
  readonly dropsThinking: boolean;
}

/** A verdict as a note has it. */
export function writeVerdict({ mode, dropsThinking }: Verdict): string {
  return JSON.stringify({ mode, dropsThinking });
}

/** The verdict in a note; written by this version, so it is one. */
export function readVerdict(value: string): Verdict {
  return JSON.parse(value) as Verdict;
}

/** Whether two verdicts come to the same. */
export function isSameVerdict(one: Verdict, other: Verdict | undefined): boolean {
  return one.mode === other?.mode && one.dropsThinking === other.dropsThinking;
}
