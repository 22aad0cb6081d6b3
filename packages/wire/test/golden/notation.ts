import { awsEventStream } from '../../src/framing/aws-event-stream.ts';
import type { Framing, WireEvent } from '../../src/framing/framing.ts';
import { json } from '../../src/framing/framings.ts';
import { jsonArray } from '../../src/framing/json-array.ts';
import { ndjson } from '../../src/framing/ndjson.ts';
import { sse } from '../../src/framing/sse.ts';
import { bytesOf, decodeAll, encodeAll } from '../frames.ts';

/** The framings of response files by the ends of their names. */
const FRAMINGS: Readonly<Record<string, Framing>> = {
  json,
  'list.json': jsonArray,
  sse,
  ndjson,
  eventstream: awsEventStream,
};

/** The framing of the body in a file. */
export function framingOf(file: string): Framing {
  return FRAMINGS[file.slice(file.indexOf('.') + 1)]!;
}

/** The bytes of a body that a file shows. */
export function bodyOf(file: string, text: string): Uint8Array {
  const framing = framingOf(file);
  if (framing.isText) return bytesOf(framing, text);
  const events = decodeAll(sse, [Buffer.from(text)]);
  return bytesOf(
    framing,
    encodeAll(
      framing,
      events.flatMap((event) => unlessComment(event, wrap)),
    ),
  );
}

/** The text of a file that shows this body: what bytes of binary frames say stands there as server-sent events. */
export function fileOf(file: string, body: string): string {
  const framing = framingOf(file);
  if (framing.isText) return body;
  const events = decodeAll(framing, [bytesOf(framing, body)]);
  return encodeAll(
    sse,
    events.flatMap((event) => unlessComment(event, unwrap)),
  );
}

function unlessComment(event: WireEvent, change: (data: string) => string): WireEvent[] {
  if (event.kind !== 'event') return [];
  const { name, data } = event;
  return [{ kind: 'event', name, data: name === 'chunk' ? change(data) : data }];
}

/** The data of a frame `chunk`: an event of Messages as base64. */
function wrap(event: string): string {
  return JSON.stringify({ bytes: Buffer.from(event).toString('base64') });
}

function unwrap(data: string): string {
  const { bytes, ...others } = JSON.parse(data) as { bytes: string };
  return Object.keys(others).length === 0 ? Buffer.from(bytes, 'base64').toString() : data;
}
