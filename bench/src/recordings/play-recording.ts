import {
  BodyBytes,
  FORMATS,
  type Format,
  framingOf,
  type Plan,
  type RequestView,
  type WireEvent,
} from '@winnow/wire';
import type { Recording } from './read-recordings.ts';
import { REPAIRS } from './repairs.ts';

/** The response that a client got for a recorded one. */
export type Played =
  | { readonly kind: 'untouched' }
  /** Differs as `docs/internals/wire-formats/README.md` describes; the names of the repairs. */
  | { readonly kind: 'repaired'; readonly repairs: readonly string[] }
  /** Differs in another way, which is a fault. */
  | { readonly kind: 'changed'; readonly event: number; readonly given: string; readonly sent: string };

const SEARCH_TOOL = { name: 'gateway_search_tools', description: 'Finds tools.' };
const PLAN: Plan = { loadMode: 'swap', defer: [], load: [], searchTool: SEARCH_TOOL, reason: 'deferred' };

/**
 * Passes a response on as the proxy does while the model may search, and compares the client's bytes with the
 * original.
 */
export function playRecording(recording: Recording): Played {
  const given = framesOf(recording, recording.data);
  const sent = passOn(recording, given.join(''));
  if (sent === given.join('')) return { kind: 'untouched' };
  const names: string[] = [];
  let data = recording.data;
  for (const { name, format, repair } of REPAIRS) {
    const repaired = format === recording.format && recording.isStream ? repair(data) : data;
    if (repaired.join('\n') !== data.join('\n')) names.push(name);
    data = repaired;
  }
  if (sent === framesOf(recording, data).join('')) return { kind: 'repaired', repairs: names };
  const event = given.findIndex((_, at) => !sent.startsWith(given.slice(0, at + 1).join('')));
  const before = given.slice(0, event).join('').length;
  return { kind: 'changed', event, given: given[event] ?? '', sent: sent.slice(before).split('\n\n', 1)[0]! };
}

/** Formats whose events have no names. */
const NAMELESS: ReadonlySet<string> = new Set<Recording['format']>(['openai-chat', 'gemini']);

/** Returns the body of a response in its provider's framing. */
function framesOf({ format, isStream }: Recording, data: readonly string[]): string[] {
  if (!isStream) return [...data];
  if (format === 'bedrock-converse') return data.map(toFrame);
  const nameOf = (event: string) => `event: ${eventName(event)}\n`;
  return data.map((event) => `${NAMELESS.has(format) ? '' : nameOf(event)}data: ${event}\n\n`);
}

/** The end marker of a stream is not JSON. */
function eventName(event: string): string {
  if (event === '[DONE]') return 'done';
  const { type, event_type: kind = type } = JSON.parse(event) as Readonly<Record<string, string>>;
  return String(kind);
}

const EVENT_STREAM = 'application/vnd.amazon.eventstream';

/** Returns a frame with one character per byte. */
function toFrame(event: string): string {
  const [[name, data] = ['', {}]] = Object.entries(JSON.parse(event) as Record<string, unknown>);
  const frames = framingOf(EVENT_STREAM)
    .createEncoder()
    .encode([{ kind: 'event', name, data: JSON.stringify(data) }]);
  return Buffer.from(frames as Uint8Array).toString('latin1');
}

function passOn({ format: name, isStream }: Recording, body: string): string {
  const format = FORMATS.find((one) => one.name === name)!;
  const streamType = name === 'bedrock-converse' ? EVENT_STREAM : 'text/event-stream';
  const framing = framingOf(isStream ? streamType : 'application/json');
  const charset = framing.isText ? 'utf8' : 'latin1';
  const decoder = framing.createDecoder(Number.MAX_SAFE_INTEGER);
  const encoder = framing.createEncoder();
  const joiner = format.joining.joinResponses(viewFor(format, isStream), PLAN);
  const events: WireEvent[] = [...decoder.push(Buffer.from(body, charset)), ...decoder.end()];
  const passed = events.flatMap((event) => joiner.feed(event));
  const end = joiner.endRound();
  const rest = end.kind === 'failed' ? joiner.fail(end) : joiner.finish();
  const pieces = [encoder.encode([...passed, ...rest]), encoder.end()];
  return pieces.map((piece) => Buffer.from(piece as string).toString(charset)).join('');
}

function viewFor(format: Format, isStream: boolean): RequestView {
  const body = {
    messages: [],
    input: [],
    contents: [],
    stream: isStream,
    stream_options: { include_usage: true },
  };
  const reading = format.reading.readRequest(new BodyBytes([Buffer.from(JSON.stringify(body))]), {
    purpose: 'answer',
    searchToolName: SEARCH_TOOL.name,
    path: pathFor(format, isStream),
    query: '',
  });
  if (!reading.ok) throw new Error(reading.reason);
  return reading.view;
}

/** Some formats select a stream in the path. */
function pathFor({ name }: Format, isStream: boolean): string {
  if (name === 'bedrock-converse') return `/model/any/converse${isStream ? '-stream' : ''}`;
  return `/v1beta/models/any:${isStream ? 'streamGenerateContent' : 'generateContent'}`;
}
