/**
 * Returns a function that remembers its last result for each object, and computes it again when another
 * argument changes.
 *
 * Contract: `make` is pure. An argument is unchanged if it is identical or, for a list of names, if its names
 * are. A result lives as long as its object, so use this for long-lived objects such as the tool sections
 * that clients send again and again; for the objects of one request, use `rememberOn`.
 */
export function rememberBy<Subject extends object, Others extends readonly unknown[], Result>(
  make: (subject: Subject, ...others: Others) => Result,
): (subject: Subject, ...others: Others) => Result {
  const made = new WeakMap<Subject, { readonly others: Others; readonly result: Result }>();
  return (subject, ...others) => {
    const last = made.get(subject);
    if (last !== undefined && areSame(others, last.others)) return last.result;
    const result = make(subject, ...others);
    made.set(subject, { others, result });
    return result;
  };
}

/**
 * Returns a function like that of `rememberBy` that keeps its results on the objects themselves: a map of short-lived
 * objects is new so often that the collector of young objects takes all of them for live ones.
 *
 * Contract: the objects are not frozen. A copy of an object has results of its own.
 */
export function rememberOn<Subject extends object, Others extends readonly unknown[], Result>(
  make: (subject: Subject, ...others: Others) => Result,
): (subject: Subject, ...others: Others) => Result {
  interface Made {
    readonly subject: Subject;
    readonly others: Others;
    readonly result: Result;
  }
  const place = Symbol('remembered');
  return (subject, ...others) => {
    const places = subject as { [place]?: Made };
    const last = places[place];
    if (last?.subject === subject && areSame(others, last.others)) return last.result;
    const result = make(subject, ...others);
    places[place] = { subject, others, result };
    return result;
  };
}

/** The latest results of a function, by a text that tells its arguments. */
export class LatestResults<Result> {
  readonly #most: number;
  readonly #results = new Map<string, Result>();

  /** `most` is the number of results to remember. */
  constructor(most: number) {
    this.#most = most;
  }

  /** Returns the result for this key, which is made if it is not remembered. */
  of(key: string, make: () => Result): Result {
    const known = this.#results.get(key);
    if (known !== undefined) return known;
    const made = make();
    this.#results.set(key, made);
    const [oldest] = this.#results.keys();
    if (this.#results.size > this.#most) this.#results.delete(oldest!);
    return made;
  }
}

/** Returns the names of a list as a set: the same one for the lists that requests share. */
export const setOf = rememberBy((names: readonly string[]): ReadonlySet<string> => new Set(names));

/** Runs dozens of times per request, nearly always with identical arguments. */
function areSame(some: readonly unknown[], others: readonly unknown[]): boolean {
  for (let at = 0; at < some.length; at++) {
    if (some[at] !== others[at] && !isSame(some[at], others[at])) return false;
  }
  return true;
}

function isSame(one: unknown, other: unknown): boolean {
  if (!Array.isArray(one) || !Array.isArray(other) || one.length !== other.length) return false;
  return one.every((name, at) => typeof name === 'string' && name === other[at]);
}
