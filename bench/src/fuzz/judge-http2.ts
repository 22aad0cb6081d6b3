import { FRAME, type ReadFrame, readHttp2Frames } from '@winnow/testkit';
import { BROKEN_STATUSES, hasMessage, type Judgement } from './judgement.ts';

/** Whether a server began its response as HTTP/2 requires: with its settings. */
export function readsAsHttp2(received: Buffer): boolean {
  if (received.length < 9) return false;
  const length = received.readUIntBE(0, 3);
  return (
    received[3] === FRAME.settings && received.readUInt32BE(5) === 0 && length % 6 === 0 && length < 1_000
  );
}

/**
 * Judges the bytes that a server wrote on an HTTP/2 connection: whole frames of known types, with a response,
 * a reset or a GOAWAY among them.
 */
export function judgeHttp2(received: Buffer): Judgement {
  const { frames, left } = readHttp2Frames(received);
  const odd = frames.find(({ type }) => type > FRAME.continuation || type === FRAME.push);
  if (odd) return { outcome: 'no HTTP/2', fault: `a frame of kind ${odd.type}` };
  const head = frames.find(({ type }) => type === FRAME.headers);
  if (head !== undefined) return judgeResponse(head, frames);
  const goodbye = frames.find(({ type }) => type === FRAME.goAway);
  if (goodbye) return { outcome: `goodbye ${goodbye.payload.readUInt32BE(4)}` };
  const reset = frames.find(({ type }) => type === FRAME.reset);
  if (reset) return { outcome: `reset ${reset.payload.readUInt32BE(0)}` };
  // A server may close without a word.
  return { outcome: left === 0 ? 'closed behind its settings' : 'closed within a frame' };
}

function judgeResponse(head: ReadFrame, frames: readonly ReadFrame[]): Judgement {
  const status = statusOf(head.payload);
  if (status === undefined)
    return { outcome: 'no status', fault: `no status: ${head.payload.toString('hex').slice(0, 80)}` };
  const data = frames.filter(({ type, stream }) => type === FRAME.data && stream === head.stream);
  const body = Buffer.concat(data.map(({ payload }) => payload)).toString();
  const outcome = `HTTP/2 ${status}`;
  if (BROKEN_STATUSES.includes(status)) return { outcome, fault: `broken: ${body.slice(0, 200)}` };
  const isOurs = status >= '400' && body.startsWith('{') && body.endsWith('}');
  return isOurs && !hasMessage(body)
    ? { outcome, fault: `an error without a message: ${body.slice(0, 200)}` }
    : { outcome };
}

/** The statuses in the static table. Source: https://www.rfc-editor.org/rfc/rfc7541#appendix-A */
const IN_TABLE: ReadonlyMap<number, string> = new Map([
  [8, '200'],
  [9, '204'],
  [10, '206'],
  [11, '304'],
  [12, '400'],
  [13, '404'],
  [14, '500'],
]);

/**
 * Returns the status in the first head of a connection, where it is always the first field; undefined if
 * there is none.
 */
function statusOf(block: Buffer): string | undefined {
  const head = block.subarray(behindTableSizes(block));
  const first = head[0] ?? 0;
  if ((first & 0x80) !== 0) return IN_TABLE.get(first & 0x7f);
  // A name from the table in any encoding, with a literal value.
  const isNamed = [0x48, 0x08, 0x18].includes(first);
  const length = (head[1] ?? 0) & 0x7f;
  const value = head.subarray(2, 2 + length);
  if (!isNamed) return undefined;
  return ((head[1] ?? 0) & 0x80) === 0 ? value.toString('latin1') : unpackDigits(value);
}

/**
 * Returns the position of the first field, after an optional table size update of one or more bytes. Source:
 * https://www.rfc-editor.org/rfc/rfc7541#section-6.3
 */
function behindTableSizes(block: Buffer): number {
  let at = 0;
  while (((block[at] ?? 0) & 0xe0) === 0x20) {
    const goesOn = (block[at++]! & 0x1f) === 0x1f;
    if (goesOn) while ((block[at++] ?? 0) >= 0x80);
  }
  return at;
}

/**
 * Decodes Huffman-coded digits: 0 to 2 take five bits, the others six. Source:
 * https://www.rfc-editor.org/rfc/rfc7541#appendix-B
 */
function unpackDigits(packed: Buffer): string {
  let bits = [...packed].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  let text = '';
  while (bits.length >= 5) {
    const short = Number.parseInt(bits.slice(0, 5), 2);
    const long = Number.parseInt(bits.slice(0, 6), 2);
    if (short <= 2) {
      text += short;
      bits = bits.slice(5);
    } else if (bits.length >= 6 && long >= 0x19 && long <= 0x1f) {
      text += long - 0x19 + 3;
      bits = bits.slice(6);
    } else break;
  }
  return text;
}
