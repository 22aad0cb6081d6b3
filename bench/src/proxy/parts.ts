import { InputError } from '../input-error.ts';
import { COST_ROWS } from './rows.ts';

/** Parts of the table: the rows of the cost, and what a process costs as a whole. */
const TABLE: readonly string[] = [...COST_ROWS.map(({ name }) => name), 'memory', 'start', 'in-process'];

/** Names for `--only`. */
const PARTS: readonly string[] = [...TABLE, 'formats', 'search', 'delay', 'growth'];

/**
 * Reads a comma-separated list; without one, all parts, or those of the table in a quick run. Throws an
 * {@link InputError} that lists the parts.
 */
export function readParts(list: string | undefined, isQuick = false): ReadonlySet<string> {
  if (list === undefined) return new Set(isQuick ? TABLE : PARTS);
  const names = list.split(',').map((name) => name.trim());
  const unknown = names.find((name) => !PARTS.includes(name));
  if (unknown !== undefined)
    throw new InputError(`--only: there is no ${unknown}; the parts are ${PARTS.join(', ')}`);
  return new Set(names);
}
