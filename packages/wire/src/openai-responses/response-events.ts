import { type ReadEvent, readEvent } from '../joining/read-event.ts';
import { memberTexts, withMembers } from '../json/json-members.ts';
import { isJsonObject } from '../json/json-splice.ts';
import { parseJson } from '../json/parse-json.ts';

/** Types of events that hold the response without its output, before any item. */
export const STARTS: ReadonlySet<string> = new Set([
  'response.created',
  'response.queued',
  'response.in_progress',
]);

/** Types of events that end a response. */
export const ENDS: ReadonlySet<string> = new Set([
  'response.completed',
  'response.incomplete',
  'response.failed',
]);

/**
 * Returns the events that would stream a whole response, each item complete in its start; undefined when the
 * text is not a response.
 */
export function eventsOfWhole(text: string): ReadEvent[] | undefined {
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
  return parts.flatMap((part) => readEvent(part) ?? []);
}
