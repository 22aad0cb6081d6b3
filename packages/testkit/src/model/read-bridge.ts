import { parseJson } from '@winnow/core';
import { isJsonObject } from '../upstream/json-object.ts';
import type { Conversation, ConversationTurn, PastCall } from './conversation.ts';

/** The tool through which the model calls tools whose definitions it reads as text. */
export const BRIDGE_TOOL = 'gateway_call_tool';

/** The beginnings of results of calls that were refused. */
const REFUSALS = [
  /^The arguments of \S+ (do not fit|must be an object)/,
  /^There is no tool named/,
  /^Give the name/,
];

/** The result after which no search is answered. */
const LAST_SEARCH = 'No further searches are possible.';

/**
 * Returns the conversation as if the model called all tools directly; the same one without a bridge tool.
 *
 * Calls through the bridge tool become calls of the tools, refused ones become searches, and tools that are
 * defined in texts become callable. Once no search is answered any more, the model tries any tool.
 */
export function readThroughBridge(conversation: Conversation, searchToolName: string): Conversation {
  const { callable, turns } = conversation;
  if (!callable.has(BRIDGE_TOOL)) return conversation;
  const texts = turns.flatMap(textsIn);
  const refused = new Set(
    turns
      .flatMap((turn) => (turn.role === 'results' ? turn.results : []))
      .flatMap(({ callId, text }) => (REFUSALS.some((refusal) => refusal.test(text)) ? callId : [])),
  );
  const last = turns.at(-1);
  const isClosed = last?.role === 'results' && last.results.some(({ text }) => text.includes(LAST_SEARCH));
  const readCall = (call: PastCall): PastCall => {
    if (call.name !== BRIDGE_TOOL) return call;
    if (refused.has(call.id)) return { ...call, name: searchToolName };
    const { name, arguments: input } = call.input as { name: string; arguments: unknown };
    return { ...call, name, input };
  };
  const read = turns.map((turn) =>
    turn.role === 'assistant' ? { ...turn, calls: turn.calls.map(readCall) } : turn,
  );
  const names = [...callable, ...texts.flatMap(definedIn)];
  const ours = isClosed ? [BRIDGE_TOOL, searchToolName] : [BRIDGE_TOOL];
  const open = new Set(names.filter((name) => !ours.includes(name)));
  return {
    ...conversation,
    callable: isClosed ? new AnyNameBut(open, searchToolName) : open,
    turns: read,
  };
}

function textsIn(turn: ConversationTurn): readonly string[] {
  return turn.role === 'results' ? turn.results.map(({ text }) => text) : [turn.text];
}

/** Returns the names of the tools that a text defines with their parameters. */
function definedIn(text: string): string[] {
  return text.split('\n').flatMap((line) => {
    const tool = line.startsWith('{"name":') ? parseJson(line) : undefined;
    return isJsonObject(tool) && isJsonObject(tool.parameters) ? String(tool.name) : [];
  });
}

/** Contains every name but one. */
class AnyNameBut extends Set<string> {
  readonly #name: string;

  constructor(names: Iterable<string>, name: string) {
    super(names);
    this.#name = name;
  }

  override has(name: string): boolean {
    return name !== this.#name;
  }
}
