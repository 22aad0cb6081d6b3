/** A model's calls with all tools visible, and the tools that it would have been shown. */
export interface JudgedCalls {
  /** Names that the model called, in order. */
  readonly calledNames: readonly string[];
  /** Names that would have been deferred. */
  readonly deferred: readonly string[];
  /** Deferred names that the model would have been shown anyway. */
  readonly shown: readonly string[];
}

/** The judgement of the calls: fields of an observation. */
export interface Judgement {
  readonly called: string[];
  readonly wouldHaveMissed: string[];
}

/**
 * Returns the deferred tools that the model called, and those among them that it would not have been shown;
 * each once, in the order of the calls.
 */
export function judgeCalls({ calledNames, deferred, shown }: JudgedCalls): Judgement {
  const isDeferred = new Set(deferred);
  const isShown = new Set(shown);
  const called = [...new Set(calledNames)].filter((name) => isDeferred.has(name));
  return { called, wouldHaveMissed: called.filter((name) => !isShown.has(name)) };
}
