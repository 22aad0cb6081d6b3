import type { RequestView } from '../format/view.ts';

/** The facts about the conversation in a request's history. */
export type HistoryFacts = Pick<
  RequestView,
  'calledNames' | 'resultNames' | 'userTexts' | 'query' | 'firstUserText' | 'turns'
>;

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

  /**
   * Returns the names so far and the user's texts, with those that serve as the search query and tell a
   * conversation apart.
   */
  factsWith(userTexts: readonly string[]): Omit<HistoryFacts, 'turns'> {
    return {
      calledNames: this.#called,
      resultNames: [...this.#results],
      userTexts,
      query: userTexts.findLast((text) => text.trim() !== '') ?? '',
      firstUserText: userTexts[0] ?? '',
    };
  }
}
