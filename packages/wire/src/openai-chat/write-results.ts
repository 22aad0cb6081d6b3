import { foundLine } from '@winnow/core';
import type { LoadMode, Round } from '../format/view.ts';
import { type DeclaredTools, type KeptResult, keepResults } from '../turns/kept-result.ts';

/** The style in which results are written. */
export interface ResultStyle {
  readonly loadMode: LoadMode;
  /** The tools of the request. Some found tools may be missing, because clients do remove tools. */
  readonly declared: DeclaredTools;
}

/**
 * Returns the messages of a round as JSON: the original assistant message, then one result for each of its
 * searches.
 */
export function messagesOfRound(round: Round, style: ResultStyle): string[] {
  return [round.turn.message, ...resultMessages(keepResults(round), style)];
}

/** Returns the messages that answer searches. */
export function resultMessages(results: readonly KeptResult[], style: ResultStyle): string[] {
  return results.map((result) =>
    JSON.stringify({ role: 'tool', tool_call_id: result.callId, content: contentOf(result, style) }),
  );
}

/**
 * Returns the content of a result. In swap and bridge mode it is text. In native mode it holds
 * references, which the server replaces with definitions, and one line of text.
 *
 * References have the name under both keys that servers read: `name` (vLLM, SGLang) and `tool_name` (Baseten,
 * as in Messages). They come first, because chat templates may determine the kind of result from its first
 * part.
 */
function contentOf(result: KeptResult, { loadMode, declared }: ResultStyle): string | readonly object[] {
  const text = declared.textOf(result);
  const names = result.names.filter((name) => declared.has(name));
  // A reference loads its tool.
  if (loadMode !== 'native' || names.length === 0 || result.kind === 'weak') return text;
  const references = names.map((name) => ({ type: 'tool_reference', name, tool_name: name }));
  return [...references, { type: 'text', text: result.kind === 'found' ? foundLine(names) : text }];
}
