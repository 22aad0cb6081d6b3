import { type HiddenNames, NameScan } from '@winnow/wire';
import type { MemoryHold } from '../memory/request-memory.ts';

/** Limits of reading one response. */
export interface ResponseRoomOptions {
  readonly hold: MemoryHold;
  /** Most bytes of what has to be read as one, decoded; and of what is kept as it came. */
  readonly limitBytes: number;
  /** Whether it comes in events. */
  readonly shape: 'whole' | 'stream';
  /** Names that the client must not see. */
  readonly hidden: HiddenNames;
  /** Whether the response may go to the client as it comes, as nothing else has gone there. */
  readonly mayPassUnread: boolean;
}

/** Memory for each byte until it is read: its text, its values, and its rewritten form. Events of streams are over soon. */
const FACTORS = { whole: 4, stream: 1 } as const;
/** Memory that a piece takes in addition to its bytes, roughly. */
const PIECE_BYTES = 256;
/** Multiple of the readable bytes that is scanned for hidden names. A higher compression ratio is an attack. */
const SCAN_FACTOR = 4;

/**
 * The memory of one response while it is read. What is not read yet is taken before it is held, and given back when it was read.
 *
 * As long as the client has seen nothing, the bytes are also kept as they came, and looked through for hidden names: where reading
 * turns out to take too much, the client can be given those.
 */
export class ResponseRoom {
  readonly #options: ResponseRoomOptions;
  readonly #scans: readonly NameScan[];
  #scannedBytes = 0;
  /** As they came; undefined when they are not kept, or no more. */
  #raw: Buffer[] | undefined;
  #rawBytes = 0;
  #rawTaken = 0;
  /** Decoded bytes of which no event has come yet, and what is taken for them. */
  #pendingBytes = 0;
  #pendingTaken = 0;

  constructor(options: ResponseRoomOptions) {
    this.#options = options;
    this.#scans = options.hidden.all.map((name) => new NameScan(name));
    this.#raw = options.mayPassUnread ? [] : undefined;
  }

  /** Shows a piece as it came. */
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

  /** The client is given something else. */
  forgetRaw(): void {
    this.#raw = undefined;
    this.#options.hold.give(this.#rawTaken);
    this.#rawTaken = 0;
  }

  /** Takes memory for the next decoded piece; false when there is none, or the event that it belongs to is too long. */
  take(piece: Uint8Array): boolean {
    if (this.#raw !== undefined) this.scan(piece);
    this.#pendingBytes += piece.length;
    const bytes = FACTORS[this.#options.shape] * piece.length;
    if (this.#pendingBytes > this.#options.limitBytes || !this.#options.hold.take(bytes)) return false;
    this.#pendingTaken += bytes;
    return true;
  }

  /** All events of the pieces so far were read; a part of the last piece may belong to the next. */
  read(): void {
    this.#pendingBytes = 0;
    this.#options.hold.give(this.#pendingTaken);
    this.#pendingTaken = 0;
  }

  /** Nothing is kept, and no event is read any more. */
  giveUp(): void {
    this.forgetRaw();
    this.read();
  }

  /** Looks through a piece that is not read; false when it is of no use to go on. */
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

  /** The bytes as they came, all of which have been looked through; undefined when the client may not have them. */
  get unread(): readonly Buffer[] | undefined {
    return this.#canPass ? this.#raw : undefined;
  }

  get #canPass(): boolean {
    return this.#raw !== undefined && !this.#scans.some(({ isFound }) => isFound);
  }
}
