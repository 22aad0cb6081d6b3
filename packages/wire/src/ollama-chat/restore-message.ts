import type { HiddenTurn } from '../format/view.ts';
import { memberTexts } from '../json/json-members.ts';
import { changeMembers, type JsonObject, splice, textOrNone } from '../json/json-splice.ts';
import { type HiddenRound, hiddenRounds } from '../turns/remember-turns.ts';
import { callId } from './call-id.ts';
import { numberCall } from './number-call.ts';
import { callsOf, contentText } from './read-message.ts';
import { joinMessages } from './visible-message.ts';

/**
 * Turns the client's copy of a visible message into the last message of its hidden turn. The texts of earlier
 * rounds are removed, because they are now in separate messages, and searches are put back among the calls.
 * Everything else stays as the client wrote it. Undefined when nothing remains.
 */
export function restoreMessage(copyText: string, hidden: HiddenTurn): string | undefined {
  const { earlier, last } = hiddenRounds(hidden);
  const message = JSON.parse(last.message) as JsonObject;
  if (earlier.length > 0 && saysNothing(message)) return undefined;
  const copy = JSON.parse(copyText) as JsonObject;
  // The calls in it do not matter here.
  const said = [...earlier, last]
    .map((round) => JSON.parse(round.message) as JsonObject)
    .reduce(joinMessages);
  const repeatsThinking = copy.thinking === said.thinking && said.thinking !== message.thinking;
  const ownThinking = textOrNone(message.thinking);
  return splice(
    copyText,
    changeMembers(
      copyText,
      { start: 0, end: copyText.length },
      {
        ...(contentText(copy) !== contentText(message) && { content: JSON.stringify(contentText(message)) }),
        ...(repeatsThinking && { thinking: ownThinking && JSON.stringify(ownThinking) }),
        ...(last.results.length > 0 && { tool_calls: restoreCalls(copyText, last) }),
      },
    ),
  );
}

function saysNothing(message: JsonObject): boolean {
  return (
    contentText(message) === '' && textOrNone(message.thinking) === undefined && callsOf(message).length === 0
  );
}

/**
 * Returns the calls in the model's order: its searches in their original form, and the client's copies of the
 * others, which have the same order, renumbered.
 */
function restoreCalls(copyText: string, { message, results }: HiddenRound): string {
  const copied = memberTexts(copyText, 'tool_calls');
  const searches = new Set(results.map(({ callId: id }) => id));
  const calls = memberTexts(message, 'tool_calls').map((text, ordinal) =>
    searches.has(callId(JSON.parse(text) as JsonObject, ordinal))
      ? text
      : numberCall(copied.shift() ?? text, ordinal),
  );
  return `[${calls.join(',')}]`;
}
