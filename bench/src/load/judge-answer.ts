import { isDeepStrictEqual } from 'node:util';
import type { Dialogue } from './dialogue.ts';
import type { ExpectedAnswer } from './expected-answer.ts';
import type { ClientAnswer, WireClient } from './wire-client.ts';

/**
 * Text that only the model may see: the search tool's name, and words of its results and of its description.
 */
const TRACE = /gateway_search_tools|tool_reference|tool_search|search_tools/;

/** The same text for clients that see searches as their provider's own. */
const OWN_TRACE = /gateway_search_tools|search_tools/;

/**
 * Returns the fault of a response in words; undefined if the client would have got the same directly from the
 * model.
 */
export function judgeAnswer(
  answer: ClientAnswer,
  expected: ExpectedAnswer,
  { dialogue, client, raw }: { dialogue: Dialogue; client: WireClient; raw: string },
): string | undefined {
  const trace = raw.match(dialogue.wire === 'hosted' ? OWN_TRACE : TRACE);
  if (trace) return `there is a trace of the search: ${trace[0]}`;
  if (answer.text !== expected.text) return `the text is ${quote(answer.text)}, not ${quote(expected.text)}`;
  const calls = answer.calls.map(({ name, input }) => ({ name, input }));
  const expectedCalls = expected.calls.map(({ name, input }) => ({ name, input }));
  if (!isDeepStrictEqual(calls, expectedCalls)) {
    return `the calls are ${quote(JSON.stringify(calls))}, not ${quote(JSON.stringify(expectedCalls))}`;
  }
  const hasIds = client.identify === undefined;
  const isNamed = answer.calls.every(
    ({ id }, position) => !hasIds || id.endsWith(expected.calls[position]!.id),
  );
  const isMarked = answer.id === undefined || answer.id.includes(expected.mark);
  if (!isNamed || !isMarked) return 'ids are not those of the model';
  const stop = calls.length > 0 ? client.stops.calls : client.stops.text;
  if (answer.stop !== stop) return `the stop reason is ${answer.stop}, not ${stop}`;
  return judgeThoughts(answer.thoughts, expected.mark, dialogue);
}

/** Checks that the thoughts are those of rounds of this answer, in order. Those that led to a hidden search may be missing. */
function judgeThoughts(thoughts: string, mark: string, { thinking }: Dialogue): string | undefined {
  const all = [...thoughts.matchAll(/Let me think about (\w+)\/(\d+)\./g)];
  const isWhole = all.map(([text]) => text).join('') === thoughts;
  const rounds = all.map(([, , round]) => Number(round));
  const isAscending = rounds.every((round, position) => position === 0 || round > rounds[position - 1]!);
  const isOrdered = isAscending && all.every(([, seen]) => seen === mark);
  const isMeant = all.length > 0 === (thinking !== undefined);
  return isWhole && isOrdered && isMeant ? undefined : `the thinking is ${quote(thoughts)}`;
}

function quote(text: string): string {
  return text.length > MOST_QUOTED ? `“${text.slice(0, MOST_QUOTED)}…”` : `“${text}”`;
}

const MOST_QUOTED = 300;
