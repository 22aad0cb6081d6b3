import type { ResponseJoiner } from '../format/response-joiner.ts';
import type { Plan, RequestView } from '../format/view.ts';
import { eventText } from '../framing/wire-event.ts';
import { hiddenNames } from '../tools/hidden-names.ts';
import type { BridgeDialect } from './bridge-dialect.ts';

/**
 * Makes a joiner read calls of hidden tools under the tools' own names, however the model has spelt these, so
 * that such calls stay hidden, and histories hold only names that providers accept. Returns the joiner.
 *
 * A name that arrives in pieces is left to the format and to `BridgedCall`.
 */
export function nameCalls(
  joiner: ResponseJoiner,
  view: RequestView,
  plan: Plan,
  { readCalls, textOf = eventText }: BridgeDialect,
): ResponseJoiner {
  const hidden = hiddenNames(plan, view.toolSection);
  if (hidden.isEmpty) return joiner;
  const spelling = new RegExp(hidden.all.map(spellingOf).join('|'), 'i');
  const feed = joiner.feed.bind(joiner);
  joiner.feed = (event) => {
    if (event.kind === 'comment' || !spelling.test(textOf(event))) return feed(event);
    const calls = readCalls({ toolName: '', section: view.toolSection });
    const changes = calls.partsOf(event).map(({ name = '' }) => {
      const meant = hidden.meantBy(name);
      return meant === undefined || meant === name ? undefined : { name: meant };
    });
    const isNamed = changes.some((change) => change !== undefined);
    return feed((isNamed ? calls.rewrite(event, changes) : undefined) ?? event);
  };
  return joiner;
}

/** Returns an expression for the words of a name, with any separators. */
function spellingOf(name: string): string {
  const words = name.split(/[^\p{L}\p{N}]+|(?<=\p{Ll})(?=\p{Lu})/u).filter((word) => word !== '');
  return words.join('[^A-Za-z0-9]{0,2}');
}
