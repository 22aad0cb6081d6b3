import { crc32 } from 'node:zlib';
import type { Framing } from '../formats/client-format.ts';

/** An event of a stream, independent of its framing. */
export interface StreamEvent {
  /** Empty if the framing or the stream names no events. */
  readonly name: string;
  readonly data: string;
}

/** Returns the complete events in the bytes of a stream; comments are not among them. */
export function decodeStream(body: Buffer, framing: Framing): StreamEvent[] {
  switch (framing) {
    case 'sse':
      return decodeSse(body.toString('utf8'));
    case 'lines':
      return body
        .toString('utf8')
        .split('\n')
        .filter((line) => line.trim() !== '')
        .map((data) => ({ name: '', data }));
    case 'frames':
      return decodeFrames(body);
    default:
      return framing satisfies never;
  }
}

/** Source: https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation */
function decodeSse(text: string): StreamEvent[] {
  const events: StreamEvent[] = [];
  let name = '';
  let data: string[] = [];
  for (const line of text.replace(/^\uFEFF/, '').split(/\r\n|\n|\r/)) {
    if (line === '') {
      if (data.length > 0) events.push({ name, data: data.join('\n') });
      name = '';
      data = [];
      continue;
    }
    const [, field = '', value = ''] = /^([^:]*):? ?([\s\S]*)$/.exec(line) ?? [];
    if (field === 'event') name = value;
    else if (field === 'data') data.push(value);
  }
  // Clients also take a last event without its blank line, as some servers end so.
  if (data.length > 0) events.push({ name, data: data.join('\n') });
  return events;
}

/** Source: https://smithy.io/2.0/aws/amazon-eventstream.html */
function decodeFrames(body: Buffer): StreamEvent[] {
  const events: StreamEvent[] = [];
  for (let at = 0; at + 16 <= body.length; ) {
    const length = body.readUInt32BE(at);
    if (length < 16 || at + length > body.length) break;
    const frame = body.subarray(at, at + length);
    at += length;
    const headLength = frame.readUInt32BE(4);
    const isIntact =
      crc32(frame.subarray(0, 8)) === frame.readUInt32BE(8) &&
      crc32(frame.subarray(0, -4)) === frame.readUInt32BE(length - 4);
    const payload = frame.subarray(12 + headLength, -4).toString('utf8');
    const head = frame.subarray(12, 12 + headLength).toString('latin1');
    const kind = kindIn(head);
    events.push({ name: isIntact ? kind : 'a frame with a wrong checksum', data: unwrap(payload) });
  }
  return events;
}

/** Returns the value of the header that names the event: a name, a byte for its type, two for its length, a text. */
function kindIn(head: string): string {
  const [name] = /:(?:event|exception)-type/.exec(head) ?? [];
  if (name === undefined) return '';
  const at = head.indexOf(name) + name.length + 1;
  const length = 256 * head.charCodeAt(at) + head.charCodeAt(at + 1);
  return head.slice(at + 2, at + 2 + length);
}

/** Returns the event inside the base64 of InvokeModel's chunks, or the payload itself. */
function unwrap(payload: string): string {
  const bytes = /^\{"bytes":"([A-Za-z0-9+/=]*)"/.exec(payload)?.[1];
  return bytes === undefined ? payload : Buffer.from(bytes, 'base64').toString('utf8');
}
