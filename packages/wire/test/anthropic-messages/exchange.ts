import { readFileSync } from 'node:fs';
import { anthropicMessages } from '../../src/anthropic-messages/anthropic-messages.ts';
import type { ResponseJoiner, RoundEnd } from '../../src/format/response-joiner.ts';
import type { LoadMode, Plan, RequestView } from '../../src/format/view.ts';
import type { WireEvent } from '../../src/framing/framing.ts';
import { sse } from '../../src/framing/sse.ts';
import { BodyBytes } from '../../src/json/body-bytes.ts';
import { ClientBody, decodeAll } from '../frames.ts';

/** One event of a hand-written response. */
export type WrittenEvent = { readonly type: string } & Readonly<Record<string, unknown>>;

/**
 * Returns the events of a hand-written response: `written-responses` has one file for each, one event per
 * line.
 */
export function readWritten(name: string): WrittenEvent[] {
  const text = readFileSync(new URL(`written-responses/${name}.jsonl`, import.meta.url), 'utf8');
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as WrittenEvent);
}

/** Returns a hand-written response as the provider streams it. */
export function streamOf(name: string, lineEnd = '\n'): string {
  const text = readFileSync(new URL(`written-responses/${name}.jsonl`, import.meta.url), 'utf8');
  return text
    .trimEnd()
    .split('\n')
    .map(
      (line) =>
        `event: ${(JSON.parse(line) as WrittenEvent).type}${lineEnd}data: ${line}${lineEnd}${lineEnd}`,
    )
    .join('');
}

/** Returns the events of a stream as they come from an upstream's body. */
export function eventsOf(stream: string): WireEvent[] {
  return decodeAll(sse, [new TextEncoder().encode(stream)]);
}

/** Returns the events that a client reads from a stream. */
export function readStream(stream: string): WrittenEvent[] {
  return eventsOf(stream).flatMap((event) =>
    event.kind === 'event' ? [JSON.parse(event.data) as WrittenEvent] : [],
  );
}

/** Returns the view of a request; fails when it cannot be read. */
export function viewOf(request: unknown, purpose: 'answer' | 'count_tokens' = 'answer'): RequestView {
  const text = typeof request === 'string' ? request : JSON.stringify(request);
  const reading = anthropicMessages.reading.readRequest(new BodyBytes([new TextEncoder().encode(text)]), {
    purpose,
    searchToolName: 'gateway_search_tools',
    path: '/v1/messages',
    query: '',
  });
  if (!reading.ok) throw new Error(reading.reason);
  return reading.view;
}

/** Returns a plan that defers these tools and has the search tool. */
export function planOf(
  loadMode: Exclude<LoadMode, 'bridge'>,
  defer: readonly string[],
  load: readonly string[] = [],
): Plan {
  const searchTool = { name: 'gateway_search_tools', description: 'Finds tools.' };
  return { loadMode, defer, load, searchTool, reason: 'deferred' };
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

/** The result of an exchange whose rounds got these bodies. */
export interface PlayedExchange {
  readonly joiner: ResponseJoiner;
  readonly ends: readonly RoundEnd[];
  /** The events that the client received. */
  readonly sent: string;
}

/** Plays an exchange to its end; a body that begins with a brace is a whole response, any other a stream. */
export function play(...bodies: readonly string[]): PlayedExchange {
  const joiner = anthropicMessages.joining.joinResponses(VIEW, PLAN);
  const ends: RoundEnd[] = [];
  const body = new ClientBody(!bodies[0]!.startsWith('{'));
  for (const text of bodies) {
    const events: WireEvent[] = text.startsWith('{') ? [{ kind: 'whole', text }] : eventsOf(text);
    for (const event of events) body.write(joiner.feed(event));
    ends.push(joiner.endRound());
  }
  const last = ends.at(-1)!;
  body.write(last.kind === 'failed' ? joiner.fail(last) : joiner.finish());
  return { joiner, ends, sent: body.end() };
}
