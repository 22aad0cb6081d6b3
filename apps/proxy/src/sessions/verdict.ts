import type { LoadMode } from '@winnow/wire';

/**
 * The way in which the requests of one conversation are edited: decided once, so that the content before its
 * thinking stays the same.
 */
export interface Verdict {
  /** `bypass`: the upstream accepted the conversation only as the client wrote it. */
  readonly mode: LoadMode | 'bypass';
  /** Whether the upstream refused the thinking in the history, and accepted the conversation without it. */
  readonly dropsThinking: boolean;
}

/** Serialises a verdict as a note's value. */
export function writeVerdict({ mode, dropsThinking }: Verdict): string {
  return JSON.stringify({ mode, dropsThinking });
}

/** Parses the verdict in a note; undefined for one of another version, whose mode is not known here. */
export function readVerdict(value: string): Verdict | undefined {
  const verdict = JSON.parse(value) as Verdict;
  return MODES.has(verdict.mode) ? verdict : undefined;
}

const MODES: ReadonlySet<unknown> = new Set([
  'native',
  'bridge',
  'swap',
  'bypass',
] satisfies Verdict['mode'][]);

/** Whether two verdicts are equal. */
export function isSameVerdict(one: Verdict, other: Verdict | undefined): boolean {
  return one.mode === other?.mode && one.dropsThinking === other.dropsThinking;
}
