import {
  changeMembers,
  elementsOf,
  isJsonObject,
  type JsonObject,
  memberSpan,
  removeMembers,
  splice,
  textOf,
  valueSpan,
} from '../json-splice.ts';
import { parseJson } from '../parse-json.ts';

/** One event of a response: its data as JSON and parsed. */
export interface ResponseEvent {
  readonly type: string;
  readonly data: string;
  readonly body: JsonObject;
}

/** Reads the data of a stream's event; undefined when it is none of this format's. */
export function readResponseEvent(data: string): ResponseEvent | undefined {
  const body = parseJson(data);
  return isJsonObject(body) && typeof body.type === 'string' ? { type: body.type, data, body } : undefined;
}

/** Events that hold a response as it stands, its output apart: they come before any item. */
export const STARTS: ReadonlySet<string> = new Set([
  'response.created',
  'response.queued',
  'response.in_progress',
]);

/** Events of which each ends a response. */
export const ENDS: ReadonlySet<string> = new Set([
  'response.completed',
  'response.incomplete',
  'response.failed',
]);

/** The events of which a whole response could have been streamed, each item complete from its start; undefined when the text is none. */
export function eventsOfWhole(text: string): ResponseEvent[] | undefined {
  const body = parseJson(text);
  if (!isJsonObject(body) || !Array.isArray(body.output)) return undefined;
  const items = memberTexts(text, 'output');
  const end = ENDS.has(`response.${body.status}`) ? `response.${body.status}` : 'response.completed';
  const parts = [
    `{"type":"response.created","response":${withMembers(text, { output: '[]', status: '"in_progress"' })}}`,
    ...items.flatMap((item, index) => [
      `{"type":"response.output_item.added","output_index":${index},"item":${item}}`,
      `{"type":"response.output_item.done","output_index":${index},"item":${item}}`,
    ]),
    `{"type":"${end}","response":${text}}`,
  ];
  return parts.flatMap((part) => readResponseEvent(part) ?? []);
}

/** A member of an object as JSON, undefined when it is not there. */
export function memberOf(text: string, key: string): string | undefined {
  const span = memberSpan(text, valueSpan(text).start, key);
  return span === undefined ? undefined : textOf(text, span);
}

/** The elements of a member that is a list, each as JSON; none for any other. */
export function memberTexts(text: string, key: string): string[] {
  const span = memberSpan(text, valueSpan(text).start, key);
  return span === undefined ? [] : elementsOf(text, span.start).map((element) => textOf(text, element));
}

/** The object with these members in place of its own. */
export function withMembers(text: string, changes: Readonly<Record<string, string | undefined>>): string {
  return splice(text, changeMembers(text, valueSpan(text), changes));
}

/** The object with one member edited, if it has it. */
export function withMember(text: string, key: string, edit: (value: string) => string): string {
  const span = memberSpan(text, valueSpan(text).start, key);
  if (span === undefined) return text;
  const value = textOf(text, span);
  const edited = edit(value);
  return edited === value ? text : splice(text, [{ ...span, text: edited }]);
}

/** The object without these members. */
export function withoutMembers(text: string, keys: readonly string[]): string {
  return splice(text, removeMembers(text, valueSpan(text), keys));
}
