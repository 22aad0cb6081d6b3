import { resultText } from '../result-text.ts';
import type { LoadMode, RequestView, SearchResult } from '../view.ts';

/**
 * A search result as it is kept: enough to write it again for either load mode, since a session may change from one to
 * the other, and without the descriptions, which the text has as far as they are needed.
 */
export interface KeptResult {
  readonly callId: string;
  readonly kind: SearchResult['kind'];
  readonly names: readonly string[];
  readonly text: string;
}

/** How results are to be written. */
export interface ResultStyle {
  readonly loadMode: LoadMode;
  /** Names that the request declares: a reference to any other is rejected, and clients do take tools away. */
  readonly declaredNames: ReadonlySet<string>;
}

/** The style for the results of a request. */
export function resultStyle({ tools }: RequestView, loadMode: LoadMode): ResultStyle {
  return { loadMode, declaredNames: new Set(tools.flatMap(({ name }) => name ?? [])) };
}

/** What to keep of a result. */
export function keepResult(result: SearchResult): KeptResult {
  const names = [...new Set(result.tools.map(({ name }) => name))];
  return { callId: result.callId, kind: result.kind, names, text: resultText(result) };
}

/** The user's message that answers a turn's searches, as JSON. */
export function writeResults(results: readonly KeptResult[], style: ResultStyle): string {
  return `{"role":"user","content":[${results.map((result) => writeResult(result, style)).join(',')}]}`;
}

/**
 * One `tool_result` as JSON: in swap mode what was found as text; in native mode references, where the provider shows
 * the definitions, and one line of text.
 */
export function writeResult(result: KeptResult, style: ResultStyle): string {
  const { callId, names, text } = result;
  const block = { type: 'tool_result', tool_use_id: callId };
  // An error may hold text alone, and nothing found is the only case without anything to refer to.
  if (names.length === 0) return JSON.stringify({ ...block, content: text, is_error: true });
  if (style.loadMode === 'swap') return JSON.stringify({ ...block, content: text });
  const references = referencedNames(result, style).map((name) => ({
    type: 'tool_reference',
    tool_name: name,
  }));
  return JSON.stringify({ ...block, content: [...references, { type: 'text', text: nativeLine(result) }] });
}

/** The names that a result refers to when it is written in this style. */
export function referencedNames({ names }: KeptResult, { loadMode, declaredNames }: ResultStyle): string[] {
  return loadMode === 'native' ? names.filter((name) => declaredNames.has(name)) : [];
}

/** The definitions stand at the references, so a line need not describe the tools again. */
function nativeLine({ kind, names, text }: KeptResult): string {
  return kind === 'found' ? `Can be called now, the best match first: ${names.join(', ')}.` : text;
}
