import type { ProxyContext } from '../proxy-context.ts';
import { newAddition } from '../sessions/new-addition.ts';
import { EMPTY_SESSION, type Session, type SessionAddition } from '../sessions/session-store.ts';

/** What is told of the store. */
export interface SessionReport {
  /** What could not be read or stored. */
  sessionErrors: number;
  /** What the client waited for the store, in milliseconds. */
  sessionMs: number;
}

/** What a session needs of its surroundings. */
interface SessionContext extends Pick<ProxyContext, 'sessions' | 'pendingWork'> {
  readonly effects: Pick<ProxyContext['effects'], 'now'>;
}

/**
 * An exchange's part in its session. Without a key, or without a store that works, the session is empty and what is added is lost:
 * the exchange itself goes on.
 */
export class ExchangeSession {
  readonly key: string | undefined;
  readonly #context: SessionContext;
  readonly #report: SessionReport;
  #known = EMPTY_SESSION;

  constructor(key: string | undefined, context: SessionContext, report: SessionReport) {
    this.key = key;
    this.#context = context;
    this.#report = report;
  }

  /**
   * Whether the client's next turn may be read by another process: then everything has to be stored before its answer ends. In one
   * process, the next exchange of the session waits by itself.
   */
  get isShared(): boolean {
    return this.key !== undefined && this.#context.sessions.isShared;
  }

  /** The session as the exchanges before have left it, those included that still have something to store. Never rejects. */
  async read(): Promise<Session> {
    const { key } = this;
    if (key === undefined) return EMPTY_SESSION;
    const { pendingWork, sessions } = this.#context;
    this.#report.sessionMs += await this.#tryAndMeasure(async () => {
      await pendingWork.settled(key);
      this.#known = await sessions.read(key);
    });
    return this.#known;
  }

  /**
   * Adds what `gather` gives and the session did not hold, before a later exchange of the session in this process may read; nothing new
   * costs nothing. Gives the milliseconds that the store took. Never rejects.
   */
  async add(gather: () => SessionAddition | Promise<SessionAddition>): Promise<number> {
    const { key } = this;
    let storeMs = 0;
    const work = async () => {
      const addition = newAddition(await gather(), this.#known);
      if (key === undefined || (addition.loaded.length === 0 && addition.hiddenTurns.length === 0)) return;
      storeMs = await this.#tryAndMeasure(() => this.#context.sessions.add(key, addition));
    };
    await this.#tryAndMeasure(() => (key === undefined ? work() : this.#context.pendingWork.run(key, work)));
    return storeMs;
  }

  /** Milliseconds of some work; one that fails is counted. */
  async #tryAndMeasure(work: () => Promise<void>): Promise<number> {
    const { now } = this.#context.effects;
    const startedAt = now();
    try {
      await work();
    } catch {
      this.#report.sessionErrors++;
    }
    return now() - startedAt;
  }
}
