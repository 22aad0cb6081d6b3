import type { RequestView } from '../format/view.ts';

/** Collects the names of tools that a history calls, and of those whose results it has. */
export class NamesInHistory {
  readonly #nameOfCall = new Map<unknown, string>();
  readonly #called = new Set<string>();
  readonly #results = new Set<string>();

  /** Takes a call. Names are kept in the order of their first call; ids may repeat. */
  call(name: string, id?: unknown): void {
    this.#nameOfCall.set(id, name);
    if (name !== '') this.#called.add(name);
  }

  /** Takes the result of the call with this id, or of `otherName` when no call has it. */
  resultOf(id: unknown, otherName?: string): void {
    this.result(this.#nameOfCall.get(id) ?? otherName);
  }

  /** Takes the result of a tool. */
  result(name: string | undefined): void {
    if (name === undefined || name === '') return;
    // Deleted first, so that the latest result is last.
    this.#results.delete(name);
    this.#results.add(name);
  }

  /** Returns the names so far. */
  names(): Pick<RequestView, 'calledNames' | 'resultNames'> {
    return { calledNames: this.#called, resultNames: [...this.#results] };
  }
}

/** Returns the user's texts, and those that serve as the search query and tell a conversation apart. */
export function wordsToSearch(
  userTexts: readonly string[],
): Pick<RequestView, 'userTexts' | 'query' | 'firstUserText'> {
  return {
    userTexts,
    query: userTexts.findLast((text) => text.trim() !== '') ?? '',
    firstUserText: userTexts[0] ?? '',
  };
}
