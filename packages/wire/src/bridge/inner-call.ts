import { removeMembers, splice, valueSpan } from '../json/json-splice.ts';
import { parseJson } from '../json/parse-json.ts';
import { bareName } from '../tools/bare-name.ts';
import { InnerCallScan } from './inner-call-scan.ts';

/**
 * The arguments in a bridge call: a range of its text, which has no end before it has arrived, or a text made
 * from it.
 */
type InnerArguments =
  | { readonly kind: 'range'; readonly start: number; readonly end: number | undefined }
  | { readonly kind: 'text' | 'none' | 'made'; readonly text: string };

/** The call in a bridge call. */
export interface InnerCall {
  readonly name: string;
  readonly arguments: InnerArguments;
}

/** Bridge calls within bridge calls that are read. */
const MOST_NESTED = 3;

/**
 * Reads the whole arguments of a bridge call; undefined without a name. Arguments that are absent or null are
 * an empty object; a string stands for the JSON in it; where other members stand next to the name instead,
 * those are the arguments. A bridge call of the bridge tool is its inner call.
 */
export function readInnerCall(text: string, bridgeToolName: string, nested = 0): InnerCall | undefined {
  const scan = new InnerCallScan();
  scan.push(text);
  if (scan.name === undefined) return undefined;
  const call = { name: scan.name, arguments: readArguments(text, scan) };
  if (bareName(call.name) !== bridgeToolName || nested === MOST_NESTED) return call;
  const inner = readInnerCall(argumentsIn(text, call), bridgeToolName, nested + 1);
  return (
    inner && { ...inner, arguments: { kind: 'made', text: argumentsIn(argumentsIn(text, call), inner) } }
  );
}

/** Returns the text of the arguments of a call within the text of its bridge call. */
export function argumentsIn(text: string, { arguments: inner }: InnerCall): string {
  return inner.kind === 'range' ? text.slice(inner.start, inner.end) : inner.text;
}

function readArguments(text: string, { value, hasOthers, isComplete }: InnerCallScan): InnerArguments {
  if (value === undefined) {
    if (!isComplete) return { kind: 'made', text: '' };
    return hasOthers ? { kind: 'made', text: withoutName(text) } : { kind: 'none', text: '{}' };
  }
  const { start, end } = value;
  const given = text.slice(start, end);
  if (value.kind === 'string') return { kind: 'text', text: decode(given, end !== undefined) };
  return given === 'null' ? { kind: 'made', text: '{}' } : { kind: 'range', start, end };
}

/** Returns a string of JSON as a value, without a part of an escape where it is cut off. */
function decode(quoted: string, isWhole: boolean): string {
  const decoded = parseJson(isWhole ? quoted : `${withoutCutEscape(quoted)}"`);
  if (typeof decoded !== 'string') return quoted;
  return isWhole && decoded.trim() === '' ? '{}' : decoded;
}

/** Returns the object without its names. */
function withoutName(text: string): string {
  const object = valueSpan(text);
  return splice(text, removeMembers(text, object, ['name'])).trim();
}

function withoutCutEscape(text: string): string {
  const [, backslashes = ''] = /(\\+)(?:u[0-9a-fA-F]{0,3})?$/.exec(text.slice(-MOST_BACKSLASHES)) ?? [];
  return backslashes.length % 2 === 0 ? text : text.slice(0, text.lastIndexOf('\\'));
}

/** The most backslashes at the end of a string that are counted; even, so that more count the same. */
const MOST_BACKSLASHES = 1_000;
