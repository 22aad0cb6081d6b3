import { envelopeOf } from './envelope.ts';
import { findTools } from './find-tools.ts';
import { GrowingBuffer } from './growing-buffer.ts';
import { sharesBytes } from './shares-bytes.ts';

/** An object with the JSON text of `tools`: a complete, valid array from its `[` to its `]`. */
export interface KnownTools {
  readonly tools: Buffer;
}

export type ReceivedBody<Known> =
  /** A body with the tools of `known`; `envelope` is the body with `[]` in their place, not yet parsed. */
  | { readonly kind: 'known'; readonly known: Known; readonly envelope: Buffer }
  /**
   * A body with new tools, or tools that only a parse can identify; `toolsStart` is the start of their array,
   * if known.
   */
  | { readonly kind: 'new'; readonly bytes: Buffer; readonly toolsStart: number | undefined };

/**
 * Number of bytes in which to look for `tools`. A body with more bytes before its tools is parsed in full.
 */
const HEAD_LIMIT_BYTES = 256 * 1024;
/** Maximum envelope after the tools; a body with more is parsed in full. */
const TAIL_LIMIT_BYTES = 256 * 1024;

/** Initial capacity for a body of known size; smaller ones get their whole block at once. */
const HEAD_CAPACITY_BYTES = 64 * 1024;

const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/**
 * Assembles a body from its chunks and detects, while they arrive, whether its tools are known.
 *
 * While the tools agree byte for byte with known ones, they are not stored: if a later byte differs, the
 * agreeing part can be copied from the known tools. Recognising a known catalogue of 16 MB thus costs a
 * memory comparison, and a thousand clients that send it hold a thousand small envelopes. An array delimits
 * itself, so known tools that agree completely are the whole value.
 *
 * Contract: every split into chunks gives the same result; chunks are not retained; `end` is called once,
 * last.
 */
export class BodyAssembler<Known extends KnownTools> {
  readonly #expectedBytes: number;
  #step: 'head' | 'tools' | 'tail' | 'all' = 'head';
  /** In step `all` the whole body, otherwise the part before the tools. */
  #held: GrowingBuffer;
  /** Known tools that agree so far; in step `tail` the one that agrees completely. */
  #candidates: readonly Known[];
  /** Number of agreeing bytes of the tools. */
  #agreed = 0;
  #toolsStart: number | undefined;
  #lookAgainAt = 0;
  readonly #tail = new GrowingBuffer(0);

  /** `expectedBytes` is the announced length, or 0; a hint that saves copying. */
  constructor(expectedBytes: number, candidates: readonly Known[]) {
    this.#expectedBytes = expectedBytes;
    this.#candidates = candidates;
    this.#held = new GrowingBuffer(Math.min(expectedBytes, HEAD_CAPACITY_BYTES));
  }

  /** Number of bytes held of the body so far, without those that agree with known tools. */
  get heldBytes(): number {
    return this.#held.capacity + this.#tail.length;
  }

  write(chunk: Buffer): void {
    switch (this.#step) {
      case 'head':
        this.#writeHead(chunk);
        break;
      case 'tools':
        this.#writeTools(chunk);
        break;
      case 'tail':
        this.#writeTail(chunk);
        break;
      case 'all':
        this.#held.append(chunk);
    }
  }

  end(): ReceivedBody<Known> {
    if (this.#step === 'head') this.#lookForTools();
    const envelope = this.#step === 'tail' && envelopeOf(this.#held.bytes, this.#tail.bytes);
    if (envelope) return { kind: 'known', known: this.#candidates[0]!, envelope };
    this.#holdAll();
    return { kind: 'new', bytes: withoutByteOrderMark(this.#held.bytes), toolsStart: this.#toolsStart };
  }

  /** Releases the memory of a rejected body. */
  release(): void {
    this.#held.release();
    this.#tail.release();
  }

  #writeHead(chunk: Buffer): void {
    this.#held.append(chunk);
    if (this.#held.length < this.#lookAgainAt) return;
    // Looking again only after the data has doubled keeps byte-by-byte arrival from taking quadratic time.
    this.#lookAgainAt = this.#held.length * 2;
    this.#lookForTools();
  }

  #lookForTools(): void {
    const head = this.#held.bytes;
    const place = findTools(head);
    if (place.kind === 'incomplete' && head.length < HEAD_LIMIT_BYTES) return;
    if (place.kind !== 'found') {
      this.#holdAll();
      return;
    }
    this.#toolsStart = place.start;
    this.#held.truncate(place.start);
    this.#step = 'tools';
    this.#writeTools(head.subarray(place.start));
  }

  #writeTools(piece: Buffer): void {
    const agreeing = this.#candidates.filter(({ tools }) => sharesBytes(tools, this.#agreed, piece));
    if (agreeing.length === 0) {
      this.#holdAll();
      this.#held.append(piece);
      return;
    }
    const whole = agreeing.find(({ tools }) => tools.length <= this.#agreed + piece.length);
    this.#candidates = whole ? [whole] : agreeing;
    if (!whole) {
      this.#agreed += piece.length;
      return;
    }
    const rest = piece.subarray(whole.tools.length - this.#agreed);
    this.#agreed = whole.tools.length;
    this.#step = 'tail';
    this.#writeTail(rest);
  }

  #writeTail(piece: Buffer): void {
    this.#tail.append(piece);
    if (this.#tail.length > TAIL_LIMIT_BYTES) this.#holdAll();
  }

  /** Stops recognising the tools: from now on `#held` is the whole body. */
  #holdAll(): void {
    if (this.#step === 'all') return;
    const all = new GrowingBuffer(this.#expectedBytes);
    all.append(this.#held.bytes);
    if (this.#agreed > 0) all.append(this.#candidates[0]!.tools.subarray(0, this.#agreed));
    all.append(this.#tail.bytes);
    this.#held = all;
    this.#step = 'all';
  }
}

function withoutByteOrderMark(bytes: Buffer): Buffer {
  return bytes.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK)
    ? bytes.subarray(BYTE_ORDER_MARK.length)
    : bytes;
}
