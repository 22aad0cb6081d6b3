import type { Past } from '../format/request-editor.ts';
import type { Plan, RequestView, Round } from '../format/view.ts';
import { appendElements, type Edit, isJsonObject, setMember } from '../json/json-splice.ts';
import { writeRequest } from '../request/write-request.ts';
import { keepResult } from '../turns/kept-result.ts';
import { writeResults } from '../turns/restore-blocks.ts';
import { editTools } from './edit-tools.ts';
import { restoreTurns } from './restore-turns.ts';
import { mustNotThink } from './turns.ts';
import { type ResultStyle, resultStyle, writeResult } from './write-results.ts';

/**
 * The request that goes upstream. Without anything to change it is the client's own bytes.
 *
 * A count of tokens is edited like the request that it counts for, so that the client's meter shows what is sent.
 */
export function editRequest(view: RequestView, plan: Plan, past: Past): Uint8Array {
  return writeRequest(view, editsOf(view, plan, past));
}

/** The edits that make it. */
export function editsOf(view: RequestView, plan: Plan, past: Past): Edit[] {
  const { rounds } = past;
  const style = resultStyle(view, plan.loadMode);
  return [
    ...editTools(view, plan),
    ...restoreTurns(view, past, style),
    ...appendRounds(view, rounds, style),
    ...carryContainer(view, rounds),
    ...(plan.forbidsCalls ? [setMember(view.text, view.spans.root, 'tool_choice', '{"type":"none"}')] : []),
    ...(past.dropsThinking && mustNotThink(view) ? [stopThinking(view)] : []),
  ];
}

function stopThinking({ spans }: RequestView): Edit {
  return { ...spans.members.get('thinking')!, text: '{"type":"disabled"}' };
}

/** The assistant's turns as they came, each followed by the results of its searches. */
function appendRounds(view: RequestView, rounds: readonly Round[], style: ResultStyle): Edit[] {
  if (rounds.length === 0) return [];
  const messages = rounds.flatMap(({ turn, results }) => [
    turn.message,
    writeResults(results.map(keepResult), (result) => writeResult(result, style)),
  ]);
  return [appendElements(view.text, view.spans.members.get('messages')!, messages)];
}

/** What the provider ran in an earlier round is at hand in the next only when that names its container. */
function carryContainer({ text, body, spans }: RequestView, rounds: readonly Round[]): Edit[] {
  const container = rounds.findLast(({ turn }) => turn.state !== undefined)?.turn.state;
  const own = body.container;
  const isNamed = typeof own === 'string' || (isJsonObject(own) && typeof own.id === 'string');
  if (container === undefined || isNamed) return [];
  const id = JSON.stringify(container);
  // A client that asks for skills names them in place of a container.
  if (isJsonObject(own)) return [setMember(text, spans.members.get('container')!, 'id', id)];
  return [setMember(text, spans.root, 'container', id)];
}
