import { foundLine } from '@winnow/text';
import type { LoadMode, RequestView, Round } from '../format/view.ts';
import { declaredTools, type KeptResult, keepResults, keptText } from '../turns/kept-result.ts';

/** How results are to be written. */
export interface ResultStyle {
  readonly loadMode: LoadMode;
  /** The request, which may declare other tools than the one that the results were found for: clients do take tools away. */
  readonly view: RequestView;
}

/** The messages of a round as JSON: the assistant's as it came, then one result for each of its searches. */
export function messagesOfRound(round: Round, style: ResultStyle): string[] {
  return [round.turn.message, ...resultMessages(keepResults(round), style)];
}

/** The messages that answer searches. */
export function resultMessages(results: readonly KeptResult[], style: ResultStyle): string[] {
  return results.map((result) =>
    JSON.stringify({ role: 'tool', tool_call_id: result.callId, content: contentOf(result, style) }),
  );
}

/**
 * In swap mode what was found as text; natively references, where the server shows the definitions, and one line of text.
 *
 * References have the name under both keys that servers read: `name` (vLLM, SGLang) and `tool_name` (Baseten, as in Messages). They stand in
 * front, as chat templates may look at the first part to learn what a result is.
 */
function contentOf(result: KeptResult, { loadMode, view }: ResultStyle): string | readonly object[] {
  const declared = declaredTools(view);
  const text = keptText(result, declared);
  const names = result.names.filter((name) => declared.has(name));
  if (loadMode === 'swap' || names.length === 0) return text;
  const references = names.map((name) => ({ type: 'tool_reference', name, tool_name: name }));
  return [...references, { type: 'text', text: result.kind === 'found' ? foundLine(names) : text }];
}
