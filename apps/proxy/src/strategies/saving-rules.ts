import { rememberBy, type ToolSection } from '@winnow/wire';

/** From how much on deferring is worth its search tool and its searches. */
export interface SavingRules {
  /** Function tools that are never deferred for being so few. */
  readonly minTools: number;
  /** Fewest tokens that can be saved; 0 for any. */
  readonly minDeferredTokens: number;
}

/** Whether a list has too few function tools for choosing among them to gain anything. */
export function hasFewTools(section: ToolSection, { minTools }: Pick<SavingRules, 'minTools'>): boolean {
  return countFunctions(section) <= minTools;
}

/** Whether leaving out so many bytes of definitions saves too little. */
export function savesLittle(
  bytes: number,
  { minDeferredTokens }: Pick<SavingRules, 'minDeferredTokens'>,
): boolean {
  return minDeferredTokens > 0 && bytes / BYTES_PER_TOKEN < minDeferredTokens;
}

/** Bytes of English and JSON that make a token, as tokenisers of today have it. */
const BYTES_PER_TOKEN = 4;

const countFunctions = rememberBy(
  ({ entries }: ToolSection) => entries.filter(({ kind }) => kind === 'function').length,
);
