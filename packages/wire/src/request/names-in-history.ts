import type { RequestView } from '../format/view.ts';

/** Collects the names of tools that a history calls, and of those whose results it has. */
export class NamesInHistory {
  readonly #nameOfCall = new Map<unknown, string>();
  readonly #called = new Set<string>();
  readonly #results = new Set<string>();

  /** A call; names count in the order of their first call, although ids may come again. */
  call(name: string, id?: unknown): void {
    this.#nameOfCall.set(id, name);
    if (name !== '') this.#called.add(name);
  }

  /** The result of the call of this id, or of another tool when no call has it. */
  resultOf(id: unknown, otherName?: string): void {
    this.result(this.#nameOfCall.get(id) ?? otherName);
  }

  /** The result of a tool. */
  result(name: string | undefined): void {
    if (name === undefined || name === '') return;
    // Deleted first, so that the latest result stands last.
    this.#results.delete(name);
    this.#results.add(name);
  }

  /** The names so far. */
  names(): Pick<RequestView, 'calledNames' | 'resultNames'> {
    return { calledNames: this.#called, resultNames: [...this.#results] };
  }
}

/** The words of the user's messages by which tools are searched for. */
export function wordsToSearch(userTexts: readonly string[]): Pick<RequestView, 'query' | 'firstUserText'> {
  return {
    query: userTexts.findLast((text) => text.trim() !== '') ?? '',
    firstUserText: userTexts[0] ?? '',
  };
}
