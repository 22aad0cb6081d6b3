import { type ReadEvent, readEvent } from '../joining/read-event.ts';
import { memberTexts, withMembers } from '../json/json-members.ts';
import { isJsonObject } from '../json/json-splice.ts';
import { parseJson } from '../json/parse-json.ts';

/** Whether this is the marker after the last event of a stream. */
export function isDone(data: string): boolean {
  return data.trim() === '[DONE]';
}

/** The types of the events that begin and end an interaction. */
export const START = 'interaction.created';
export const END = 'interaction.completed';

/** Statuses of an unfinished interaction. */
const RUNNING: ReadonlySet<unknown> = new Set([undefined, null, '', 'in_progress', 'queued']);

/** Whether an event announces that the interaction is about to end, or waits for the client. */
export function endsSoon({ type, body }: ReadEvent): boolean {
  return type === 'interaction.status_update' && !RUNNING.has(body.status);
}

/** Statuses of a response with all of its steps. */
const GOOD: ReadonlySet<unknown> = new Set(['completed', 'requires_action']);

/** Whether an interaction with this status has all of its steps. */
export function isGood(status: unknown): boolean {
  return GOOD.has(status);
}

/**
 * Returns the events that would stream a whole interaction, each step complete in its start; undefined when
 * the text is not an interaction.
 */
export function eventsOfWhole(text: string): ReadEvent[] | undefined {
  const body = parseJson(text);
  if (!isJsonObject(body) || typeof body.status !== 'string') return undefined;
  const begun = withMembers(text, { steps: undefined, usage: undefined, status: '"in_progress"' });
  const parts = [
    `{"interaction":${begun},"event_type":"${START}"}`,
    ...memberTexts(text, 'steps').flatMap((step, index) => [
      `{"index":${index},"step":${step},"event_type":"step.start"}`,
      `{"index":${index},"event_type":"step.stop"}`,
    ]),
    `{"interaction":${withMembers(text, { steps: undefined })},"event_type":"${END}"}`,
  ];
  return parts.flatMap((part) => readEvent(part, 'event_type') ?? []);
}
