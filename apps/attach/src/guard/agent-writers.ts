import type { AttachStore, Lease } from './attach-store.ts';

/** Options for keeping writers apart. */
export interface AgentWritersOptions {
  readonly store: Pick<AttachStore, 'lease'>;
  /** Returns a monotonic time in milliseconds. */
  readonly now: () => number;
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Calls a function repeatedly until the returned function is called. */
  readonly every: (intervalMs: number, call: () => void) => () => void;
}

/** The longest wait for the right to change an agent, in milliseconds. */
const PATIENCE_MS = 10_000;

/** The time between attempts to get another instance's lease, in milliseconds. */
const LOOK_MS = 100;

/** Well within the time of a lease, in milliseconds. */
const RENEW_MS = 10_000;

const NEVER = new AbortController().signal;

/** One writer per agent: within this process they wait for each other in the order in which they came, and then for other instances. */
export class AgentWriters {
  readonly #options: AgentWritersOptions;
  /** The waiting requests by agent. */
  readonly #queues = new Map<string, (() => void)[]>();

  constructor(options: AgentWritersOptions) {
    this.#options = options;
  }

  /**
   * Runs some work as the only writer of an agent, or returns `busy` if that takes too long. A signal tells the
   * work when another instance may have taken over, because the lease could not be renewed.
   */
  async run<Result>(
    agentId: string,
    work: (lost: AbortSignal) => Promise<Result>,
  ): Promise<{ readonly kind: 'done'; readonly result: Result } | { readonly kind: 'busy' }> {
    const until = this.#options.now() + PATIENCE_MS;
    if (!(await this.#enter(agentId))) return { kind: 'busy' };
    try {
      const lease = await this.#lease(agentId, until);
      if (lease === undefined) return { kind: 'busy' };
      return { kind: 'done', result: await this.#keep(lease, work) };
    } finally {
      this.#leave(agentId);
    }
  }

  /** Waits for its turn; false if it takes too long. */
  async #enter(agentId: string): Promise<boolean> {
    const queue = this.#queues.get(agentId);
    if (queue === undefined) {
      this.#queues.set(agentId, []);
      return true;
    }
    const giveUp = new AbortController();
    let isWaiting = true;
    return await new Promise<boolean>((resolve) => {
      const goOn = () => {
        isWaiting = false;
        giveUp.abort();
        resolve(true);
      };
      queue.push(goOn);
      void this.#options.wait(PATIENCE_MS, giveUp.signal).then(() => {
        if (!isWaiting) return;
        queue.splice(queue.indexOf(goOn), 1);
        resolve(false);
      });
    });
  }

  #leave(agentId: string): void {
    const next = this.#queues.get(agentId)!.shift();
    if (next) next();
    else this.#queues.delete(agentId);
  }

  async #lease(agentId: string, until: number): Promise<Lease | undefined> {
    const { store, now, wait } = this.#options;
    for (;;) {
      const lease = await store.lease(agentId);
      if (lease !== undefined || now() >= until) return lease;
      await wait(LOOK_MS, NEVER);
    }
  }

  async #keep<Result>(lease: Lease, work: (lost: AbortSignal) => Promise<Result>): Promise<Result> {
    const lost = new AbortController();
    const stop = this.#options.every(RENEW_MS, () => {
      lease.renew().then(
        (isKept) => {
          if (!isKept) lost.abort();
        },
        // The lease lasts a while without renewal, and the next attempt may succeed.
        () => {},
      );
    });
    try {
      return await work(lost.signal);
    } finally {
      stop();
      await lease.release();
    }
  }
}
