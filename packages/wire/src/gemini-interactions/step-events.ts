import { memberTexts, withMembers } from '../json/json-members.ts';
import { isJsonObject, type JsonObject } from '../json/json-splice.ts';
import { parseJson } from '../json/parse-json.ts';

/** One event of an interaction: its data as JSON and parsed. */
export interface StepEvent {
  readonly type: string;
  readonly data: string;
  readonly body: JsonObject;
}

/** Reads the data of a stream's event; undefined when it is none of this format's. */
export function readStepEvent(data: string): StepEvent | undefined {
  const body = parseJson(data);
  if (!isJsonObject(body) || typeof body.event_type !== 'string') return undefined;
  return { type: body.event_type, data, body };
}

/** Whether this is what stands behind the last event of a stream. */
export function isDone(data: string): boolean {
  return data.trim() === '[DONE]';
}

/** The event by which an interaction begins, and the one that ends it. */
export const START = 'interaction.created';
export const END = 'interaction.completed';

/** What an interaction is while it goes on. */
const RUNNING: ReadonlySet<unknown> = new Set([undefined, null, '', 'in_progress', 'queued']);

/** Whether an event says that the interaction is about to end, or has to wait for the client. */
export function endsSoon({ type, body }: StepEvent): boolean {
  return type === 'interaction.status_update' && !RUNNING.has(body.status);
}

/** Statuses of a response whose steps are all there. */
const GOOD: ReadonlySet<unknown> = new Set(['completed', 'requires_action']);

/** Whether all of an interaction's steps are there, by its status. */
export function isGood(status: unknown): boolean {
  return GOOD.has(status);
}

/** The interaction within an event; an empty object where there is none. */
export function interactionOf(event: StepEvent | undefined): JsonObject {
  const interaction = event?.body.interaction;
  return isJsonObject(interaction) ? interaction : {};
}

/** The events of which a whole interaction could have been streamed, each step complete from its start; undefined when the text is none. */
export function eventsOfWhole(text: string): StepEvent[] | undefined {
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
  return parts.flatMap((part) => readStepEvent(part) ?? []);
}
