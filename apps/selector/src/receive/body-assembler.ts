import { envelopeOf } from './envelope.ts';
import { findTools } from './find-tools.ts';
import { GrowingBuffer } from './growing-buffer.ts';
import { sharesBytes } from './shares-bytes.ts';

/** Something whose JSON text of `tools` is known: a complete, valid array from its `[` to its `]`. */
export interface KnownTools {
  readonly tools: Buffer;
}

/** A body as it was received. */
export type ReceivedBody<Known> =
  /** Its tools are those of `known`; `envelope` is the body with `[]` in their place, not yet parsed. */
  | { readonly kind: 'known'; readonly known: Known; readonly envelope: Buffer }
  /** Its tools are new, or not to be told without a parse; `toolsStart` is where their array starts, when that is known. */
  | { readonly kind: 'new'; readonly bytes: Buffer; readonly toolsStart: number | undefined };

/** How far into a body `tools` is looked for. A body with more than this before its tools is parsed in full. */
const HEAD_LIMIT_BYTES = 256 * 1024;
/** How much behind the tools is read as envelope; a body with more is parsed in full. */
const TAIL_LIMIT_BYTES = 256 * 1024;

/** A body up to this size gets its whole block at once. */
const HEAD_CAPACITY_BYTES = 64 * 1024;

const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/**
 * Puts a body together from its chunks and tells, while they arrive, whether its tools are known already.
 *
 * As long as the tools agree byte for byte with known ones, nothing of them is stored: what agreed can be copied from the
 * known tools when a later byte differs. So a known catalogue of 16 MB is recognised for the price of comparing memory, and
 * a thousand clients that send it hold a thousand small envelopes. An array delimits itself, so known tools that agree in
 * full are the whole value.
 *
 * Contract: any split into chunks gives the same result; chunks are not retained; `end` is called once, last.
 */
export class BodyAssembler<Known extends KnownTools> {
  readonly #expectedBytes: number;
  #step: 'head' | 'tools' | 'tail' | 'all' = 'head';
  /** In step `all` the whole body, otherwise what stands before the tools. */
  #held: GrowingBuffer;
  /** Those that agree with the tools so far; in step `tail` the one that agrees in full. */
  #candidates: readonly Known[];
  /** How many bytes of the tools agree. */
  #agreed = 0;
  #toolsStart: number | undefined;
  #lookAgainAt = 0;
  readonly #tail = new GrowingBuffer(0);

  /** `expectedBytes` is the announced length, or 0; it saves copying and is not relied on. */
  constructor(expectedBytes: number, candidates: readonly Known[]) {
    this.#expectedBytes = expectedBytes;
    this.#candidates = candidates;
    this.#held = new GrowingBuffer(Math.min(expectedBytes, HEAD_CAPACITY_BYTES));
  }

  /** Bytes that are held of the body so far; those that agree with known tools are not. */
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

  /** Gives the memory of a body back that is refused. */
  release(): void {
    this.#held.release();
    this.#tail.release();
  }

  #writeHead(chunk: Buffer): void {
    this.#held.append(chunk);
    if (this.#held.length < this.#lookAgainAt) return;
    // Looking again only when there is twice as much keeps a body that comes byte by byte from costing its square.
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

  /** Gives up on recognising the tools: from here on `#held` is the whole body. */
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
