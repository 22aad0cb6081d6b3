import { fromVariable, setting } from '@winnow/service';
import { z } from 'zod';
import { EMBEDDER_FORMS, readEmbedderAddress } from './embedder-address.ts';

/** How a service is told of its embedder. */
export interface EmbedderSettings {
  /** Empty for none. */
  readonly embedder: string;
  readonly embedderKey: string;
  readonly embedderBudgetMs: number;
  readonly embedderCacheBytes: number;
}

/** The longest time that Node's timers can wait. */
const LONGEST_MS = 2 ** 31 - 1;
const MIB = 2 ** 20;

/** The setting that says where vectors come from; empty for nowhere. */
export function embedderAddress() {
  return setting.text(
    z.string().refine((text) => text === '' || readEmbedderAddress(text) !== undefined),
    '',
    EMBEDDER_FORMS,
  );
}

/** The settings of a service whose variables begin with `prefix`. */
export function embedderSettings<Prefix extends string>(prefix: Prefix) {
  return {
    embedder: fromVariable(`${prefix}_EMBEDDER`, embedderAddress()),
    embedderKey: fromVariable(`${prefix}_EMBEDDER_KEY`, setting.secret()),
    embedderBudgetMs: fromVariable(`${prefix}_EMBEDDER_BUDGET_MS`, setting.wholeNumber(1, LONGEST_MS, 100)),
    embedderCacheBytes: fromVariable(
      `${prefix}_EMBEDDER_CACHE_BYTES`,
      setting.wholeNumber(MIB, Number.POSITIVE_INFINITY, 64 * MIB),
    ),
  } as const;
}

/** What is wrong with them together, one sentence each. `names` are those of the two settings. */
export function embedderProblems(
  names: Readonly<Record<'embedder' | 'embedderKey', string>>,
  { embedder, embedderKey }: Pick<EmbedderSettings, 'embedder' | 'embedderKey'>,
): string[] {
  if (embedderKey === '' || /^https?:/i.test(embedder)) return [];
  return [`${names.embedder} must be the address of an endpoint when ${names.embedderKey} is set.`];
}
