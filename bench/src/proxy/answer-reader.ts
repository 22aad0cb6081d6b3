const HEAD_END = '\r\n\r\n';
/** The last chunk of a body in chunks, and the end of the one before it: https://www.rfc-editor.org/rfc/rfc9112#section-7.1 */
const LAST_CHUNK = '\r\n0\r\n\r\n';

/**
 * Tells where one HTTP answer ends, and no more: a client that parsed everything would cost as much as what is measured.
 *
 * Contract: feed it the bytes of one answer, in pieces of any size. The body either has a length or comes in chunks, and holds nothing that
 * looks like the last chunk; answers of the bench's upstream do not.
 */
export class AnswerReader {
  /** The status; 0 until the head is there. */
  status = 0;
  /** Whether any byte of the body is there. */
  hasBody = false;
  isComplete = false;
  #head = '';
  /** Bytes of the body still to come; undefined when it comes in chunks. */
  #remaining: number | undefined;
  #tail = '';

  feed(piece: Buffer): void {
    if (this.status !== 0) {
      this.#feedBody(piece);
      return;
    }
    this.#head += piece.toString('latin1');
    const end = this.#head.indexOf(HEAD_END);
    if (end < 0) return;
    const bodyBytes = this.#head.length - end - HEAD_END.length;
    this.#readHead(this.#head.slice(0, end));
    this.#feedBody(piece.subarray(piece.length - bodyBytes));
  }

  #readHead(head: string): void {
    this.status = Number(head.slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length));
    const length = head.match(/\r\ncontent-length: *(\d+)/i)?.[1];
    this.#remaining = length === undefined ? undefined : Number(length);
    // The first chunk may be the last one: then the head's end is the end before it.
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
