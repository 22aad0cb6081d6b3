import { parseObject } from '../json/json-members.ts';
import { isJsonObject, memberSpan, setMember, splice } from '../json/json-splice.ts';

/** Returns the JSON of a call with another number; a call without a number stays unchanged. */
export function numberCall(text: string, index: number): string {
  const called = parseObject(text)?.function;
  if (!isJsonObject(called) || typeof called.index !== 'number' || called.index === index) return text;
  const span = memberSpan(text, 0, 'function')!;
  return splice(text, [setMember(text, span, 'index', String(index))]);
}
