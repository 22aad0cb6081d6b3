/** What a model did with all tools before it, and what it would have been shown. */
export interface JudgedCalls {
  /** Names that the model called, in order. */
  readonly calledNames: readonly string[];
  /** Names that would have been deferred. */
  readonly deferred: readonly string[];
  /** Names among the deferred that it would have been shown all the same. */
  readonly shown: readonly string[];
}

/** What the calls come to: fields of an observation. */
export interface Judgement {
  readonly called: string[];
  readonly wouldHaveMissed: string[];
}

/** The deferred tools that the model called, and those of them that it would not have been shown; each once, in the order of the calls. */
export function judgeCalls({ calledNames, deferred, shown }: JudgedCalls): Judgement {
  const isDeferred = new Set(deferred);
  const isShown = new Set(shown);
  const called = [...new Set(calledNames)].filter((name) => isDeferred.has(name));
  return { called, wouldHaveMissed: called.filter((name) => !isShown.has(name)) };
}
