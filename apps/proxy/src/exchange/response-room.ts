import { type HiddenNames, NameScan } from '@winnow/wire';
import type { MemoryHold } from '../memory/request-memory.ts';

/** Limits of reading one response. */
export interface ResponseRoomOptions {
  readonly hold: MemoryHold;
  /**
   * Maximum number of decoded bytes of a unit that is read as a whole; also the limit for the raw bytes that
   * are kept.
   */
  readonly limitBytes: number;
  /** Whether the response is a stream of events. */
  readonly shape: 'whole' | 'stream';
  /** Names that the client must not see. */
  readonly hidden: HiddenNames;
  /** Whether the response may go to the client as received, as nothing else has been sent. */
  readonly mayPassUnread: boolean;
}

/**
 * Memory per byte until it is read: its text, its values, and its rewritten form. Events of streams are
 * short-lived.
 */
const FACTORS = { whole: 4, stream: 1 } as const;
/** Approximate memory per piece in addition to its bytes. */
const PIECE_BYTES = 256;
/**
 * Multiple of the readable bytes that is scanned for hidden names. A higher compression ratio is an attack.
 */
const SCAN_FACTOR = 4;

/**
 * The memory of one response while it is read. Memory is reserved before unread bytes are held, and returned
 * after they are read.
 *
 * As long as the client has received nothing, the raw bytes are also kept and scanned for hidden names: if
 * reading needs too much memory, the client can be given those.
 */
export class ResponseRoom {
  readonly #options: ResponseRoomOptions;
  readonly #scans: readonly NameScan[];
  #scannedBytes = 0;
  /** Raw bytes as received; undefined if they are not, or no longer, kept. */
  #raw: Buffer[] | undefined;
  #rawBytes = 0;
  #rawTaken = 0;
  /** Decoded bytes not yet read as events, and the memory reserved for them. */
  #pendingBytes = 0;
  #pendingTaken = 0;

  constructor(options: ResponseRoomOptions) {
    this.#options = options;
    this.#scans = options.hidden.all.map((name) => new NameScan(name));
    this.#raw = options.mayPassUnread ? [] : undefined;
  }

  /** Records a raw piece. */
  see(piece: Buffer): void {
    if (this.#raw === undefined) return;
    const bytes = piece.length + PIECE_BYTES;
    this.#rawBytes += piece.length;
    if (this.#rawBytes > this.#options.limitBytes || !this.#options.hold.take(bytes)) {
      this.forgetRaw();
      return;
    }
    this.#rawTaken += bytes;
    this.#raw.push(piece);
  }

  /** Discards the raw bytes: the client gets something else. */
  forgetRaw(): void {
    this.#raw = undefined;
    this.#options.hold.give(this.#rawTaken);
    this.#rawTaken = 0;
  }

  /**
   * Reserves memory for the next decoded piece; returns false if none is left or the current event is too
   * long.
   */
  take(piece: Uint8Array): boolean {
    if (this.#raw !== undefined) this.scan(piece);
    this.#pendingBytes += piece.length;
    const bytes = FACTORS[this.#options.shape] * piece.length;
    if (this.#pendingBytes > this.#options.limitBytes || !this.#options.hold.take(bytes)) return false;
    this.#pendingTaken += bytes;
    return true;
  }

  /**
   * Reports that all events of the pieces so far were read; part of the last piece may belong to the next
   * event.
   */
  read(): void {
    this.#pendingBytes = 0;
    this.#options.hold.give(this.#pendingTaken);
    this.#pendingTaken = 0;
  }

  /** Releases everything; no further event is read. */
  giveUp(): void {
    this.forgetRaw();
    this.read();
  }

  /** Scans a piece that is not read; returns false if continuing is pointless. */
  scan(piece: Uint8Array): boolean {
    for (const scan of this.#scans) scan.push(piece);
    this.#scannedBytes += piece.length;
    return this.#canPass && this.#scannedBytes <= SCAN_FACTOR * this.#options.limitBytes;
  }

  /** Whether a text names a hidden tool. */
  names(text: string): boolean {
    return this.#options.hidden.all.some((name) => {
      const scan = new NameScan(name);
      scan.push(Buffer.from(text));
      return scan.isFound;
    });
  }

  /** The raw bytes after a complete scan; undefined if the client must not have them. */
  get unread(): readonly Buffer[] | undefined {
    return this.#canPass ? this.#raw : undefined;
  }

  get #canPass(): boolean {
    return this.#raw !== undefined && !this.#scans.some(({ isFound }) => isFound);
  }
}
