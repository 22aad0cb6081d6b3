import { CallProblem } from './failures.ts';
import type { KeptConnection } from './kept-connection.ts';
import type { After } from './process-group.ts';
import type { ServerConnection } from './server-connection.ts';

/** Parts of {@link HeldConnections}. */
export interface HeldConnectionsParts {
  readonly server: string;
  /** Most connections at once. */
  readonly limit: number;
  /** Time without a call after which a connection ends. */
  readonly idleMs: number;
  readonly after: After;
  readonly create: () => KeptConnection;
}

interface Held {
  readonly connection: KeptConnection;
  /** Resolves when the connection whose place it takes has ended. */
  readonly ready: Promise<void>;
  calls: number;
  stopTimer: () => void;
}

/**
 * Connections of one server for callers who must not share its state: one for each holder, opened by its first
 * call.
 *
 * Contract: never more than the limit. If all are taken, the one that was idle longest ends for a new holder;
 * if none is idle, the call is rejected as `overloaded`.
 */
export class HeldConnections {
  readonly #parts: HeldConnectionsParts;
  /** The least recently used first. */
  readonly #held = new Map<string, Held>();
  readonly #ending = new Set<Promise<void>>();

  constructor(parts: HeldConnectionsParts) {
    this.#parts = parts;
  }

  /** Connections that are open. */
  get size(): number {
    return [...this.#held.values()].filter(({ connection }) => connection.isOpen).length;
  }

  /** Runs a call on the connection of a holder. Rejects with a `CallProblem`, a `ServerProblem`, or as the call does. */
  async run<Result>(
    holder: string,
    call: (connection: ServerConnection) => Promise<Result>,
    options?: Parameters<KeptConnection['use']>[1],
  ): Promise<Result> {
    const held = this.#take(holder);
    held.calls++;
    held.stopTimer();
    try {
      await held.ready;
      return await held.connection.use(call, options);
    } finally {
      held.calls--;
      if (held.calls === 0) {
        held.stopTimer = this.#parts.after(this.#parts.idleMs, () => void this.#end(holder, held));
      }
    }
  }

  /** Resolves when no connection is left. */
  async close(): Promise<void> {
    for (const [holder, held] of [...this.#held]) void this.#end(holder, held);
    await Promise.all(this.#ending);
  }

  #take(holder: string): Held {
    const held = this.#held.get(holder) ?? this.#create();
    this.#held.delete(holder);
    this.#held.set(holder, held);
    return held;
  }

  #create(): Held {
    const { create, limit, server } = this.#parts;
    let ready = Promise.resolve();
    if (this.#held.size >= limit) {
      const idle = [...this.#held].find(([, { calls }]) => calls === 0);
      if (idle === undefined) {
        const message = `The server "${server}" already has ${limit} callers at once. Try again in a moment.`;
        throw new CallProblem('overloaded', message);
      }
      ready = this.#end(...idle);
    }
    return { connection: create(), ready, calls: 0, stopTimer: () => {} };
  }

  #end(holder: string, { connection, stopTimer }: Held): Promise<void> {
    stopTimer();
    this.#held.delete(holder);
    const ending = connection.close().finally(() => this.#ending.delete(ending));
    this.#ending.add(ending);
    return ending;
  }
}
