import { rememberBy, type ToolSection } from '@winnow/wire';

/** Thresholds above which deferring is worth its search tool and searches. */
export interface SavingRules {
  /** Number of function tools up to which none is deferred. */
  readonly minTools: number;
  /** Minimum number of tokens that must be saved; 0 for any. */
  readonly minDeferredTokens: number;
}

/** Whether a list has too few function tools to defer any. */
export function hasFewTools(section: ToolSection, { minTools }: Pick<SavingRules, 'minTools'>): boolean {
  return countFunctions(section) <= minTools;
}

/** Whether omitting this many bytes of definitions saves too little. */
export function savesLittle(
  bytes: number,
  { minDeferredTokens }: Pick<SavingRules, 'minDeferredTokens'>,
): boolean {
  return minDeferredTokens > 0 && bytes / BYTES_PER_TOKEN < minDeferredTokens;
}

/** Bytes of English and JSON per token, as in current tokenisers. */
export const BYTES_PER_TOKEN = 4;

const countFunctions = rememberBy(
  ({ entries }: ToolSection) => entries.filter(({ kind }) => kind === 'function').length,
);
