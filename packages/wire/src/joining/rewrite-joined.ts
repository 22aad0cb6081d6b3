import type { ResponseRewriter } from '../format/capabilities.ts';
import type { ResponseJoiner } from '../format/response-joiner.ts';
import type { WireEvent } from '../framing/framing.ts';

/**
 * Returns a joiner that rewrites the events of another one. It is for exchanges of one round, which hide
 * nothing and hold nothing back: all content shows at once, and an abandoned round discards its rewriter.
 */
export function rewriteJoined(
  joiner: ResponseJoiner,
  createRewriter: () => ResponseRewriter,
): ResponseJoiner {
  let rewriter = createRewriter();
  const rewritten = (events: readonly WireEvent[]) =>
    events.flatMap((event) => rewriter.rewrite(event) ?? []);
  return {
    get hasStarted() {
      return joiner.hasStarted;
    },
    hasShown: true,
    isHolding: false,
    canRetractStart: false,
    get usage() {
      return joiner.usage;
    },
    get isRoundOver() {
      return joiner.isRoundOver;
    },
    feed: (event) => rewritten(joiner.feed(event)),
    endRound: () => joiner.endRound(),
    takeResults: (results) => joiner.takeResults(results),
    retractStart: () => joiner.retractStart(),
    abandonRound: () => {
      joiner.abandonRound();
      rewriter = createRewriter();
    },
    finish: () => rewritten(joiner.finish()),
    fail: (failure) => rewritten(joiner.fail(failure)),
  };
}
