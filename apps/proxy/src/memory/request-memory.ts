/** Memory that the exchanges in flight may take. */
export interface RequestMemoryLimits {
  /** Everything that they hold together: bodies as they came and decoded, what is made of them, and what is kept of responses. */
  readonly maxBytes: number;
  /** Share of the largest possible heap that is in use, 0..1. */
  readonly heapShare: () => number;
}

/** Above this, what is left of the heap is for the requests that are being handled already. */
const MAX_HEAP_SHARE = 0.7;

/** Share of all memory that one client may take as long as others hold something. */
const CLIENT_SHARE = 1 / 2;

/** Share of all memory that is reserved for small exchanges. */
const SMALL_SHARE = 1 / 8;

/** Most bytes that a small exchange holds: a body of a million bytes, and its parsed forms. */
const SMALL_BYTES = 4 * 2 ** 20;

/**
 * The memory that exchanges share. It is taken before it is used. An exchange that finds no room forwards its request as it comes: that
 * holds nothing, and no request is refused.
 *
 * No client can keep the others out: one takes half of it at most while others hold something, large exchanges leave a part of it to small
 * ones, and a body that is still coming in gives way to a smaller one.
 */
export class RequestMemory {
  readonly #limits: RequestMemoryLimits;
  #left: number;
  /** Bytes of each client that holds any. */
  readonly #clients = new Map<string, number>();
  readonly #arriving = new Set<MemoryHold>();

  constructor(limits: RequestMemoryLimits) {
    this.#limits = limits;
    this.#left = limits.maxBytes;
  }

  /** The part of one exchange, empty at first. `client` tells one client from another, and is kept no longer than it holds something. */
  open(client: string): MemoryHold {
    return new MemoryHold(client, {
      take: (hold, bytes) => this.#take(hold, bytes),
      give: (bytes) => this.#give(client, bytes),
      arriving: this.#arriving,
    });
  }

  /** Whether there is room on the heap to read one more request. */
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

  /** The largest body that is still coming in and larger than this exchange is forwarded unread. Its bytes are on their way out. */
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

/** The memory that a hold is a part of. */
interface SharedMemory {
  readonly take: (hold: MemoryHold, bytes: number) => boolean;
  readonly give: (bytes: number) => void;
  readonly arriving: Set<MemoryHold>;
}

/** The memory that one exchange holds. */
export class MemoryHold {
  readonly client: string;
  readonly #memory: SharedMemory;
  #bytes = 0;
  /** Bytes that are set aside, and those of them that are not used. */
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

  /** Takes so many bytes more; gives false, and takes none, when they are not there. */
  take(bytes: number): boolean {
    const fromAside = Math.min(bytes, this.#unused);
    if (bytes > fromAside && !this.#memory.take(this, bytes - fromAside)) return false;
    this.#unused -= fromAside;
    this.#bytes += bytes - fromAside;
    return true;
  }

  /** Takes bytes for what is to come, so that it will not find everything taken: a response that was paid for. */
  setAside(bytes: number): boolean {
    if (!this.take(bytes)) return false;
    this.#aside += bytes;
    this.#unused += bytes;
    return true;
  }

  /** Gives bytes back, no more than were taken; those that were set aside stay set aside. */
  give(bytes: number): void {
    const toAside = Math.min(bytes, this.#aside - this.#unused);
    this.#unused += toAside;
    const given = Math.min(bytes - toAside, this.#bytes - this.#unused);
    this.#bytes -= given;
    this.#memory.give(given);
  }

  /** Gives everything back; may be called again. */
  release(): void {
    this.arrived();
    this.#aside = 0;
    this.#unused = 0;
    this.give(this.#bytes);
  }

  /** A body is coming in: `onGiveWay` is called once when another one needs its room more. */
  arrives(onGiveWay: () => void): void {
    this.#onGiveWay = onGiveWay;
    this.#memory.arriving.add(this);
  }

  /** The body is there, or will not be: it no longer gives way to others. */
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
