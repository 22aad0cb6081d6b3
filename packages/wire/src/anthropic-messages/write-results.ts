import { foundLine } from '@winnow/core';
import type { LoadMode } from '../format/view.ts';
import type { DeclaredTools, KeptResult } from '../turns/kept-result.ts';

/** The style in which results are written. */
export interface ResultStyle {
  readonly loadMode: LoadMode;
  /**
   * The tools that the request declares. The API rejects a reference to any other name, and clients do remove
   * tools.
   */
  readonly declared: DeclaredTools;
  /**
   * The tools that the request refers to so far, in the order of its text: results are written in their order.
   * Undefined where the provider may remove earlier results.
   */
  readonly referred: Set<string> | undefined;
}

/**
 * Returns one `tool_result` as JSON. In swap and bridge mode it is text. In native mode it holds
 * references, which the provider replaces with definitions, and one line of text. A tool is referred to once:
 * the provider would write its definition again, and bill it.
 */
export function writeResult(result: KeptResult, { loadMode, declared, referred }: ResultStyle): string {
  const names = result.names.filter((name) => declared.has(name));
  const text = declared.textOf(result);
  const block = { type: 'tool_result', tool_use_id: result.callId };
  if (result.kind === 'answered') {
    return JSON.stringify({ ...block, content: text, ...(result.isError && { is_error: true }) });
  }
  // An error may hold only text, and only a result without matches has no references.
  if (names.length === 0) return JSON.stringify({ ...block, content: text, is_error: true });
  // A reference loads its tool.
  if (loadMode !== 'native' || result.kind === 'weak') return JSON.stringify({ ...block, content: text });
  const fresh = names.filter((name) => !referred?.has(name));
  for (const name of fresh) referred?.add(name);
  const references = fresh.map((name) => ({ type: 'tool_reference', tool_name: name }));
  const line = result.kind === 'found' ? foundLine(names) : text;
  return JSON.stringify({ ...block, content: [...references, { type: 'text', text: line }] });
}
