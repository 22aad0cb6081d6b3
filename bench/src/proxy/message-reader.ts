const HEAD_END = '\r\n\r\n';
/**
 * The last chunk of a chunked body, with the end of the previous one:
 * https://www.rfc-editor.org/rfc/rfc9112#section-7.1
 */
const LAST_CHUNK = '\r\n0\r\n\r\n';

/**
 * Finds the end of one HTTP request or response, and no more: a client that parsed everything would cost as
 * much as what it measures.
 *
 * Contract: feed it the bytes of one message, in pieces of any size. The body has a length, is chunked, or is
 * empty, and contains nothing that looks like the last chunk; messages of the bench never do.
 */
export class MessageReader {
  /** Start line and headers; empty until they are complete. */
  head = '';
  /** Whether any byte of the body has arrived. */
  hasBody = false;
  isComplete = false;
  #received = '';
  /** Bytes of the body still to come; undefined for a chunked body. */
  #remaining: number | undefined;
  #tail = '';

  /** The status of a response; 0 until its head is complete. */
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
    // If the first chunk is also the last one, the line end before it belongs to the head.
    this.#tail = '\r\n';
  }

  #feedBody(piece: Buffer): void {
    this.hasBody ||= piece.length > 0;
    if (this.#remaining !== undefined) {
      this.#remaining -= piece.length;
      this.isComplete = this.#remaining <= 0;
      return;
    }
    const end = piece.toString('latin1', Math.max(0, piece.length - LAST_CHUNK.length));
    this.#tail = (this.#tail + end).slice(-LAST_CHUNK.length);
    this.isComplete = this.#tail === LAST_CHUNK;
  }
}
