import { foundLine } from '@winnow/text';
import type { LoadMode, RequestView } from '../format/view.ts';
import { type DeclaredTools, declaredTools, type KeptResult, keptText } from '../turns/kept-result.ts';

/** How results are to be written. */
export interface ResultStyle {
  readonly loadMode: LoadMode;
  /** What the request declares: a reference to any other name is rejected, and clients do take tools away. */
  readonly declared: DeclaredTools;
}

/** The style for the results of a request. */
export function resultStyle(view: RequestView, loadMode: LoadMode): ResultStyle {
  return { loadMode, declared: declaredTools(view) };
}

/**
 * One `tool_result` as JSON: in swap mode what was found as text; in native mode references, where the provider shows
 * the definitions, and one line of text.
 */
export function writeResult(result: KeptResult, { loadMode, declared }: ResultStyle): string {
  const names = result.names.filter((name) => declared.has(name));
  const text = keptText(result, declared);
  const block = { type: 'tool_result', tool_use_id: result.callId };
  if (result.kind === 'answered') {
    return JSON.stringify({ ...block, content: text, ...(result.isError && { is_error: true }) });
  }
  // An error may hold text alone, and nothing found is the only case without anything to refer to.
  if (names.length === 0) return JSON.stringify({ ...block, content: text, is_error: true });
  if (loadMode === 'swap') return JSON.stringify({ ...block, content: text });
  const references = names.map((name) => ({ type: 'tool_reference', tool_name: name }));
  const line = result.kind === 'found' ? foundLine(names) : text;
  return JSON.stringify({ ...block, content: [...references, { type: 'text', text: line }] });
}
