import type { Keep } from '@winnow/wire';

/** Limits of the memory for exchanges in flight. */
interface RequestMemoryLimits {
  /**
   * Limit for all exchanges together: bodies as received and decoded, their parsed forms, and buffered
   * responses.
   */
  readonly maxBytes: number;
  /** Share of the largest possible heap that is in use, 0..1. */
  readonly heapShare: () => number;
}

/** Above this share, the rest of the heap is reserved for requests already in progress. */
const MAX_HEAP_SHARE = 0.7;

/** Share of all memory that one client may take while others hold some. */
const CLIENT_SHARE = 1 / 2;

/** Share of all memory that is reserved for small exchanges. */
const SMALL_SHARE = 1 / 8;

/** Maximum number of bytes that a small exchange holds: a body of a million bytes and its parsed forms. */
const SMALL_BYTES = 4 * 2 ** 20;

/**
 * The memory that exchanges share. An exchange reserves memory before it uses it. If none is available, the
 * exchange forwards its request unread: that takes no memory, and no request is refused.
 *
 * No client can crowd out the others: a client takes at most half while others hold some, large exchanges
 * leave a share to small ones, and a body still arriving gives way to a smaller one.
 */
export class RequestMemory {
  readonly #limits: RequestMemoryLimits;
  #left: number;
  /** Bytes per client that holds any. */
  readonly #clients = new Map<string, number>();
  readonly #arriving = new Set<MemoryHold>();
  /** The part of this memory that holds see. */
  readonly #shared: SharedMemory = {
    take: (hold, bytes) => this.#take(hold, bytes),
    give: (hold, bytes) => this.#give(hold.client, bytes),
    arriving: this.#arriving,
  };

  constructor(limits: RequestMemoryLimits) {
    this.#limits = limits;
    this.#left = limits.maxBytes;
  }

  /**
   * Opens the hold of one exchange, empty at first. `client` identifies the client, and is kept only while
   * the client holds memory.
   */
  open(client: string): MemoryHold {
    return new MemoryHold(client, this.#shared);
  }

  /** Whether the heap has room to read one more request. */
  get hasHeap(): boolean {
    return this.#limits.heapShare() < MAX_HEAP_SHARE;
  }

  #take(hold: MemoryHold, bytes: number): boolean {
    if (!this.#fits(hold, bytes)) {
      this.#makeWay(hold, bytes);
      if (!this.#fits(hold, bytes)) return false;
    }
    this.#left -= bytes;
    this.#clients.set(hold.client, (this.#clients.get(hold.client) ?? 0) + bytes);
    return true;
  }

  #fits(hold: MemoryHold, bytes: number): boolean {
    const { maxBytes } = this.#limits;
    const left = this.#left - bytes;
    const own = this.#clients.get(hold.client) ?? 0;
    const isAlone = maxBytes - this.#left === own;
    if (left < 0 || (!isAlone && own + bytes > maxBytes * CLIENT_SHARE)) return false;
    return hold.bytes + bytes <= SMALL_BYTES || left >= maxBytes * SMALL_SHARE;
  }

  /**
   * Makes the largest arriving body that is larger than this exchange give way: it is forwarded unread, and
   * its bytes are freed as they are sent.
   */
  #makeWay(hold: MemoryHold, bytes: number): void {
    let largest: MemoryHold | undefined;
    for (const other of this.#arriving) {
      if (other !== hold && other.bytes > (largest?.bytes ?? hold.bytes + bytes)) largest = other;
    }
    largest?.giveWay();
  }

  #give(client: string, bytes: number): void {
    this.#left += bytes;
    const own = (this.#clients.get(client) ?? 0) - bytes;
    if (own > 0) this.#clients.set(client, own);
    else this.#clients.delete(client);
  }
}

/** The shared memory that a hold belongs to. */
interface SharedMemory {
  readonly take: (hold: MemoryHold, bytes: number) => boolean;
  readonly give: (hold: MemoryHold, bytes: number) => void;
  readonly arriving: Set<MemoryHold>;
}

/** The memory that one exchange holds. */
export class MemoryHold {
  readonly client: string;
  readonly #memory: SharedMemory;
  #bytes = 0;
  /** Bytes that are set aside, and the unused part of them. */
  #aside = 0;
  #unused = 0;
  #onGiveWay: (() => void) | undefined;

  constructor(client: string, memory: SharedMemory) {
    this.client = client;
    this.#memory = memory;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Takes more bytes; returns false and takes none if they are not available. */
  take(bytes: number): boolean {
    const fromAside = Math.min(bytes, this.#unused);
    if (bytes > fromAside && !this.#memory.take(this, bytes - fromAside)) return false;
    this.#unused -= fromAside;
    this.#bytes += bytes - fromAside;
    return true;
  }

  /** Reserves bytes for later use, so that a response that was paid for finds room. */
  setAside(bytes: number): boolean {
    if (!this.take(bytes)) return false;
    this.#aside += bytes;
    this.#unused += bytes;
    return true;
  }

  /** Returns bytes, at most as many as were taken; bytes set aside stay set aside. */
  give(bytes: number): void {
    const toAside = Math.min(bytes, this.#aside - this.#unused);
    this.#unused += toAside;
    const given = Math.min(bytes - toAside, this.#bytes - this.#unused);
    this.#bytes -= given;
    this.#memory.give(this, given);
  }

  /** Returns all memory; may be called again. */
  release(): void {
    this.arrived();
    this.#aside = 0;
    this.#unused = 0;
    this.give(this.#bytes);
  }

  /**
   * Reports that a body is arriving: `onGiveWay` is called once if another exchange needs its memory more.
   */
  arrives(onGiveWay: () => void): void {
    this.#onGiveWay = onGiveWay;
    this.#memory.arriving.add(this);
  }

  /** Reports that the body has arrived or will not arrive: it no longer gives way to others. */
  arrived(): void {
    if (this.#onGiveWay === undefined) return;
    this.#onGiveWay = undefined;
    this.#memory.arriving.delete(this);
  }

  giveWay(): void {
    const tell = this.#onGiveWay;
    this.arrived();
    tell?.();
  }
}

/** Memory is taken in steps of this size, as responses arrive in thousands of small pieces. */
const STEP_BYTES = 16 * 1024;
/** Maximum size of a character, in bytes. */
const CHAR_BYTES = 2;

/** Returns a function that reserves memory for buffered response text until the exchange ends. */
export function keepIn(hold: MemoryHold): Keep {
  let left = 0;
  return (chars) => {
    const bytes = CHAR_BYTES * chars;
    if (bytes > left) {
      const step = Math.max(bytes, STEP_BYTES);
      if (!hold.take(step)) return false;
      left += step;
    }
    left -= bytes;
    return true;
  };
}
