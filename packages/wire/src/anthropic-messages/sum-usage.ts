/** Token counts as the provider reports them: numbers, null, nested objects, lists, and names such as a service tier. */
export type Usage = Readonly<Record<string, unknown>>;

/**
 * The usage of two calls as if they had been one: what is billed.
 *
 * Numbers add up at every depth, lists (`iterations`) follow each other, and of anything else the later value
 * stands. Null means "not reported": it adds nothing, and null and null stay null. Fields come in the order in
 * which they were first seen, so that a later field of the provider's is summed without being known here.
 */
export function sumUsage(earlier: Usage, later: Usage): Usage {
  const names = new Set([...Object.keys(earlier), ...Object.keys(later)]);
  return Object.fromEntries([...names].map((name) => [name, sum(earlier[name], later[name])]));
}

/**
 * The usage of one call whose counts arrive twice: at its start, and again, cumulative, at its end.
 *
 * The end's counts replace those of the start, except where the end reports null.
 */
export function finalUsage(atStart: Usage, atEnd: Usage): Usage {
  const reported = Object.entries(atEnd).filter(([name, value]) => value !== null || !(name in atStart));
  return { ...atStart, ...Object.fromEntries(reported) };
}

function sum(earlier: unknown, later: unknown): unknown {
  if (later === undefined || later === null) return earlier ?? later;
  if (earlier === undefined || earlier === null) return later;
  if (typeof earlier === 'number' && typeof later === 'number') return earlier + later;
  if (Array.isArray(earlier) && Array.isArray(later)) return [...earlier, ...later];
  return isUsage(earlier) && isUsage(later) ? sumUsage(earlier, later) : later;
}

function isUsage(value: unknown): value is Usage {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
