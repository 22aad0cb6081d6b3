import type { ChangeEvent } from '../changes/change.ts';
import type { HistoryPlace } from '../changes/change-history.ts';
import type { ChangeListener } from '../changes/change-listeners.ts';
import { followChanges } from '../changes/follow-changes.ts';
import type { Sight } from '../content/sight.ts';
import { namespaceOf } from '../model/tool-id.ts';
import { type Outcome, refuse } from '../problem.ts';
import type { Scope } from '../scope.ts';

/** The changes that somebody sees, as `Registry` describes them. */
export class SeenChanges {
  readonly #scope: Scope;
  readonly #sight: Sight;

  constructor(scope: Scope, sight: Sight) {
    this.#scope = scope;
    this.#sight = sight;
  }

  onChange(listener: ChangeListener): () => void {
    if (typeof listener !== 'function') return () => {};
    return this.#scope.listeners.add((event) => {
      if (this.#seesEvent(event)) listener(event);
    });
  }

  changesSince(place: HistoryPlace): Outcome<{ readonly events: readonly ChangeEvent[] }> {
    const scope = this.#scope;
    const events = scope.history.since(place, scope.version);
    if (events === undefined) {
      // One ahead of the newest is of another life of the content.
      const message =
        place.version > scope.version
          ? 'There has been no such version: list again.'
          : 'The changes since then are no longer kept: list again.';
      return refuse('stale_cursor', message, 'since');
    }
    return {
      ok: true,
      events: events.filter((event) => this.#seesEvent(event)).map((event) => structuredClone(event)),
    };
  }

  changes(
    place: HistoryPlace,
    signal: AbortSignal,
  ): Outcome<{ readonly events: AsyncIterable<ChangeEvent> }> {
    const kept = this.changesSince(place);
    if (!kept.ok) return kept;
    return { ok: true, events: followChanges(kept.events, (listener) => this.onChange(listener), signal) };
  }

  #seesEvent({ id }: ChangeEvent): boolean {
    return id === undefined || this.#sight.sees(namespaceOf(id));
  }
}
