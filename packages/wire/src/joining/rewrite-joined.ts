import type { ResponseRewriter } from '../format/capabilities.ts';
import type { ResponseJoiner, RoundEnd, RoundFailure } from '../format/response-joiner.ts';
import type { SearchResult } from '../format/view.ts';
import type { WireEvent } from '../framing/framing.ts';

/**
 * A joiner that rewrites the events of another one. It is for exchanges of one round, which hide
 * nothing and hold nothing back: all content shows at once, and an abandoned round discards its rewriter.
 */
export class RewritingJoiner implements ResponseJoiner {
  readonly #joiner: ResponseJoiner;
  readonly #createRewriter: () => ResponseRewriter;
  #rewriter: ResponseRewriter;
  readonly hasShown = true;
  readonly isHolding = false;
  readonly canRetractStart = false;

  constructor(joiner: ResponseJoiner, createRewriter: () => ResponseRewriter) {
    this.#joiner = joiner;
    this.#createRewriter = createRewriter;
    this.#rewriter = createRewriter();
  }

  get hasStarted() {
    return this.#joiner.hasStarted;
  }

  get usage() {
    return this.#joiner.usage;
  }

  get isRoundOver() {
    return this.#joiner.isRoundOver;
  }

  feed(event: WireEvent): readonly WireEvent[] {
    return this.#rewrite(this.#joiner.feed(event));
  }

  endRound(): RoundEnd {
    return this.#joiner.endRound();
  }

  takeResults(results: readonly SearchResult[]): void {
    this.#joiner.takeResults(results);
  }

  retractStart(): void {
    this.#joiner.retractStart();
  }

  abandonRound(): void {
    this.#joiner.abandonRound();
    this.#rewriter = this.#createRewriter();
  }

  finish(): readonly WireEvent[] {
    return this.#rewrite(this.#joiner.finish());
  }

  fail(failure: RoundFailure): readonly WireEvent[] {
    return this.#rewrite(this.#joiner.fail(failure));
  }

  #rewrite(events: readonly WireEvent[]): readonly WireEvent[] {
    return events.flatMap((event) => this.#rewriter.rewrite(event) ?? []);
  }
}
