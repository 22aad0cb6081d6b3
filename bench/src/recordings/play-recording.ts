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

/** What a client got of a recorded response. */
export type Played =
  | { readonly kind: 'untouched' }
  /** It differs as `docs/wire-formats.md` says; the names of the repairs. */
  | { readonly kind: 'repaired'; readonly repairs: readonly string[] }
  /** It differs otherwise: a fault. */
  | { readonly kind: 'changed'; readonly event: number; readonly given: string; readonly sent: string };

const SEARCH_TOOL = { name: 'gateway_search_tools', description: 'Finds tools.' };
const PLAN: Plan = { loadMode: 'swap', defer: [], load: [], searchTool: SEARCH_TOOL, reason: 'deferred' };

/** Passes a response on as the proxy does while the model may search, and compares what the client gets with it, byte for byte. */
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

/** The body of a response as its provider frames it. */
function framesOf({ format, isStream }: Recording, data: readonly string[]): string[] {
  if (!isStream) return [...data];
  const nameOf = (event: string) => `event: ${(JSON.parse(event) as { type: string }).type}\n`;
  return data.map((event) => `${NAMELESS.has(format) ? '' : nameOf(event)}data: ${event}\n\n`);
}

function passOn({ format: name, isStream }: Recording, body: string): string {
  const format = FORMATS.find((one) => one.name === name)!;
  const framing = framingOf(isStream ? 'text/event-stream' : 'application/json');
  const decoder = framing.createDecoder(Number.MAX_SAFE_INTEGER);
  const encoder = framing.createEncoder();
  const joiner = format.joinResponses(viewFor(format, isStream), PLAN);
  const events: WireEvent[] = [...decoder.push(Buffer.from(body)), ...decoder.end()];
  const passed = events.flatMap((event) => joiner.feed(event));
  const end = joiner.endRound();
  const rest = end.kind === 'failed' ? joiner.fail(end) : joiner.finish();
  return [encoder.encode([...passed, ...rest]), encoder.end()].join('');
}

function viewFor(format: Format, isStream: boolean): RequestView {
  const body = {
    messages: [],
    input: [],
    contents: [],
    stream: isStream,
    stream_options: { include_usage: true },
  };
  const reading = format.readRequest(new BodyBytes([Buffer.from(JSON.stringify(body))]), {
    purpose: 'answer',
    searchToolName: SEARCH_TOOL.name,
    // Some formats ask for a stream in the path.
    path: `/v1beta/models/any:${isStream ? 'streamGenerateContent' : 'generateContent'}`,
    query: '',
  });
  if (!reading.ok) throw new Error(reading.reason);
  return reading.view;
}
