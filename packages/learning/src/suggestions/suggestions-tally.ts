import type { StoredRecord } from '@winnow/core';
import { EvidenceTally, type ToolList } from '../evidence/evidence-tally.ts';
import { type Suggestions, suggest } from './suggest.ts';

/** Gathers suggestions from records in any order, in bounded memory. */
export class SuggestionsTally {
  readonly #evidence = new EvidenceTally();

  add(record: StoredRecord): void {
    this.#evidence.add(record);
  }

  addList(list: ToolList): void {
    this.#evidence.addList(list);
  }

  result(): Suggestions[] {
    return suggest(this.#evidence.result());
  }
}
