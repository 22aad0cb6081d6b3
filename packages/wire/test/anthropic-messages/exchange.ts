import { readFileSync } from 'node:fs';
import { anthropicMessages } from '../../src/anthropic-messages/anthropic-messages.ts';
import type { AnswerJoiner, RoundEnd } from '../../src/format.ts';
import { createEventDecoder, type WireEvent } from '../../src/sse.ts';
import type { LoadMode, Plan, RequestView } from '../../src/view.ts';

/** One event of a recorded answer. */
export type RecordedEvent = { readonly type: string } & Readonly<Record<string, unknown>>;

/** The events of a recorded answer: `recordings` has one file for each, one event per line. */
export function readRecording(name: string): RecordedEvent[] {
  const text = readFileSync(new URL(`recordings/${name}.jsonl`, import.meta.url), 'utf8');
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as RecordedEvent);
}

/** A recorded answer as the provider streams it. */
export function streamOf(name: string, lineEnd = '\n'): string {
  const text = readFileSync(new URL(`recordings/${name}.jsonl`, import.meta.url), 'utf8');
  return text
    .trimEnd()
    .split('\n')
    .map(
      (line) =>
        `event: ${(JSON.parse(line) as RecordedEvent).type}${lineEnd}data: ${line}${lineEnd}${lineEnd}`,
    )
    .join('');
}

/** The events of a stream, as an upstream's body gives them. */
export function eventsOf(stream: string): WireEvent[] {
  const decoder = createEventDecoder();
  return [...decoder.push(new TextEncoder().encode(stream)), ...decoder.end()];
}

/** The events that a client reads from a stream. */
export function readStream(stream: string): RecordedEvent[] {
  return eventsOf(stream).flatMap((event) =>
    event.kind === 'event' ? [JSON.parse(event.data) as RecordedEvent] : [],
  );
}

/** A view of a request; fails when it cannot be read. */
export function viewOf(request: unknown, purpose: 'answer' | 'count_tokens' = 'answer'): RequestView {
  const text = typeof request === 'string' ? request : JSON.stringify(request);
  const reading = anthropicMessages.readRequest(new TextEncoder().encode(text), {
    purpose,
    searchToolName: 'gateway_search_tools',
  });
  if (!reading.ok) throw new Error(reading.reason);
  return reading.view;
}

/** A plan that defers these tools and has the search tool. */
export function planOf(loadMode: LoadMode, defer: readonly string[], load: readonly string[] = []): Plan {
  const searchTool = { name: 'gateway_search_tools', description: 'Finds tools.' };
  return { loadMode, defer, load, searchTool, reason: 'test' };
}

/** A request with two tools, and a plan that defers the second. */
export const VIEW = viewOf({
  model: 'claude-opus-4-6',
  max_tokens: 100,
  stream: true,
  messages: [{ role: 'user', content: 'What is the weather?' }],
  tools: [
    { name: 'clock_now', input_schema: { type: 'object' } },
    { name: 'weather_get', input_schema: { type: 'object' } },
  ],
});
export const PLAN = planOf('swap', ['weather_get']);

/** What became of an exchange whose rounds were answered by these bodies. */
export interface PlayedExchange {
  readonly joiner: AnswerJoiner;
  readonly ends: readonly RoundEnd[];
  /** What the client was sent. */
  readonly sent: string;
}

/** Plays an exchange to its end; a body that begins with a brace is a whole answer, any other a stream. */
export function play(...bodies: readonly string[]): PlayedExchange {
  const joiner = anthropicMessages.joinAnswers(VIEW, PLAN);
  const ends: RoundEnd[] = [];
  let sent = '';
  for (const body of bodies) {
    const events: WireEvent[] = body.startsWith('{') ? [{ kind: 'whole', text: body }] : eventsOf(body);
    for (const event of events) sent += joiner.feed(event);
    ends.push(joiner.endRound());
  }
  const last = ends.at(-1)!;
  sent += last.kind === 'failed' ? joiner.fail(last) : joiner.finish();
  return { joiner, ends, sent };
}
