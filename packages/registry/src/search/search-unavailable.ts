/** The search engine is not available. */
export class SearchUnavailableError extends Error {
  override readonly name = 'SearchUnavailableError';

  constructor(engine: string, cause: unknown) {
    super(`The search engine "${engine}" does not answer.`, { cause });
  }
}
