import { RecentMap } from '@winnow/service';
import type { ModelPlace } from '../strategies/load-modes.ts';

/** Maximum number of places to remember; a forgotten place costs one repeated request. */
const MAX_PLACES = 1_000;

/** Maximum length of a model's name in a key, in characters: clients may write anything into it. */
const MODEL_CHARS = 256;

/** Upstreams and models that have refused items of hidden rounds by ids that they do not store. */
export class UnstoredItems {
  readonly #refused = new RecentMap<string, true>(MAX_PLACES);

  /** Whether items must be sent there without their ids. */
  isRefusedBy(place: ModelPlace): boolean {
    return this.#refused.get(keyOf(place)) === true;
  }

  noteRefusal(place: ModelPlace): void {
    this.#refused.set(keyOf(place), true);
  }
}

function keyOf({ upstream, model }: ModelPlace): string {
  return JSON.stringify([upstream.name, model?.slice(0, MODEL_CHARS)]);
}
