/** A holder of slots: a token of a tenant, or another identifiable client. Compared by identity. */
export interface Party {
  readonly tenant: string;
}

/** Limits concurrent calls. Further calls are refused at once, as a server may take any time to respond. */
export interface CallPlaces {
  /** Runs a call in a place and settles as it does; resolves with `refused` when all places are taken. */
  run<Result>(call: () => Promise<Result>, refused: Result): Promise<Result>;
}

/**
 * A number of places that several parties share, so that none can take the places of all others.
 *
 * A tenant gets a place while it has fewer than are free: alone it takes half of them, two tenants take a
 * third each, and a tenant without a place always finds one. In the same way, a token gets at most half of
 * what its tenant can still have. A tenant or token without others may take everything.
 *
 * Source: the dynamic thresholds of Choudhury and Hahne, https://doi.org/10.1109/90.664262
 */
export class Shares {
  #limit: number;
  #tenants = 0;
  /** The number of parties of each tenant. */
  #parties: ReadonlyMap<string, number> = new Map();
  readonly #byTenant = new Map<string, number>();
  readonly #byParty = new Map<Party, number>();
  #taken = 0;

  /** @param parties all that may ask for places; an unknown party counts as alone. */
  constructor(limit: number, parties: readonly Party[]) {
    this.#limit = limit;
    this.use(parties);
  }

  /** Shares the places among other parties, and other places if a limit is given; those that are taken stay taken. */
  use(parties: readonly Party[], limit: number = this.#limit): void {
    this.#limit = limit;
    const counts = new Map<string, number>();
    for (const { tenant } of parties) counts.set(tenant, (counts.get(tenant) ?? 0) + 1);
    this.#parties = counts;
    this.#tenants = counts.size;
  }

  /** The number of places that are taken. */
  get taken(): number {
    return this.#taken;
  }

  /** Takes a place; returns the function that gives it back, or undefined when the party's share is used up. */
  take(party: Party): (() => void) | undefined {
    if (!this.hasRoom(party)) return undefined;
    this.change(party, 1);
    let isTaken = true;
    return () => {
      if (isTaken) this.change(party, -1);
      isTaken = false;
    };
  }

  /** Returns the places of one party, for its calls. */
  of(party: Party): CallPlaces {
    return {
      run: async (call, refused) => {
        const give = this.take(party);
        if (give === undefined) return refused;
        try {
          return await call();
        } finally {
          give();
        }
      },
    };
  }

  /** Whether a party may take so many places, one after the other. */
  hasRoom(party: Party, places = 1): boolean {
    const before = places - 1;
    const free = this.#limit - this.#taken - before;
    const ofTenant = (this.#byTenant.get(party.tenant) ?? 0) + before;
    // Each place that the tenant takes is no longer free for it either.
    const left = this.#tenants > 1 ? Math.ceil((free - ofTenant) / 2) : free;
    const isAlone = (this.#parties.get(party.tenant) ?? 1) === 1;
    return left > (isAlone ? 0 : (this.#byParty.get(party) ?? 0) + before);
  }

  /** Changes the number of places that a party has, regardless of its share. */
  change(party: Party, by: number): void {
    this.#taken += by;
    add(this.#byTenant, party.tenant, by);
    add(this.#byParty, party, by);
  }
}

/** Holders of nothing are not kept. */
function add<Key>(counts: Map<Key, number>, key: Key, by: number): void {
  const count = (counts.get(key) ?? 0) + by;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}

/** Limits the number of tasks that run at the same time; others wait in the order in which they arrived. */
export class Slots {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  /** Runs a task as soon as there is a slot, and settles with its result. */
  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      // The slot goes straight to the next waiting task, so that no new one can take it first.
      if (next) next();
      else this.#free++;
    }
  }
}
