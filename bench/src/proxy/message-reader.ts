const HEAD_END = '\r\n\r\n';
/** The last chunk of a body in chunks, and the end of the one before it: https://www.rfc-editor.org/rfc/rfc9112#section-7.1 */
const LAST_CHUNK = '\r\n0\r\n\r\n';

/**
 * Tells where one HTTP request or response ends, and no more: a client that parsed everything would cost as much as what is measured.
 *
 * Contract: feed it the bytes of one message, in pieces of any size. The body has a length, comes in chunks, or is empty, and holds nothing that
 * looks like the last chunk; messages of the bench do not.
 */
export class MessageReader {
  /** Whether the body has the text in it that is looked for; looked for only where one was named. */
  hasText = false;
  readonly #text: string | undefined;
  /** Start line and headers; empty until all of them are there. */
  head = '';
  /** Whether any byte of the body is there. */
  hasBody = false;
  isComplete = false;
  #received = '';
  /** Bytes of the body still to come; undefined when it comes in chunks. */
  #remaining: number | undefined;
  #tail = '';
  /** The end of the body so far, in which the text may have begun. */
  #end = '';

  constructor(text?: string) {
    this.#text = text;
  }

  /** The status of a response; 0 until its head is there. */
  get status(): number {
    return Number(this.head.slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length));
  }

  feed(piece: Buffer): void {
    if (this.head !== '') {
      this.#feedBody(piece);
      return;
    }
    this.#received += piece.toString('latin1');
    const end = this.#received.indexOf(HEAD_END);
    if (end < 0) return;
    const bodyBytes = this.#received.length - end - HEAD_END.length;
    this.#readHead(this.#received.slice(0, end));
    this.#feedBody(piece.subarray(piece.length - bodyBytes));
  }

  #readHead(head: string): void {
    this.head = head;
    this.#remaining = /\r\ntransfer-encoding: *chunked/i.test(head)
      ? undefined
      : Number(head.match(/\r\ncontent-length: *(\d+)/i)?.[1] ?? 0);
    // The first chunk may be the last one: then the head's end is the end before it.
    this.#tail = '\r\n';
  }

  #feedBody(piece: Buffer): void {
    this.hasBody ||= piece.length > 0;
    if (this.#text !== undefined && !this.hasText) this.#lookFor(this.#text, piece);
    if (this.#remaining !== undefined) {
      this.#remaining -= piece.length;
      this.isComplete = this.#remaining <= 0;
      return;
    }
    const end = piece.toString('latin1', Math.max(0, piece.length - LAST_CHUNK.length));
    this.#tail = (this.#tail + end).slice(-LAST_CHUNK.length);
    this.isComplete = this.#tail === LAST_CHUNK;
  }

  #lookFor(text: string, piece: Buffer): void {
    const end = this.#end + piece.toString('latin1');
    this.hasText = end.includes(text);
    this.#end = end.slice(-text.length);
  }
}
