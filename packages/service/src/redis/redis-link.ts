/** One command: its name and arguments. */
export type RedisCommand = readonly [name: string, ...values: (string | number)[]];

/** The reply to one command. */
export type RedisReply =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly error: Error };

/** Receives changes of a connection's state. */
export interface RedisLinkListener {
  /** Called when the connection can serve commands. */
  readonly onReady: () => void;
  /** Called when the connection is lost or could not be made; it reconnects on its own. */
  readonly onLost: (error: Error) => void;
}

/**
 * A connection to a Redis: a single server, one found through Sentinels, or a cluster.
 *
 * Contract: no method rejects, throws or waits for a connection: without one, every reply is an error at
 * once. A command is sent again only if a cluster reports that its key has moved. There are no deadlines;
 * callers set their own.
 */
export interface RedisLink {
  readonly isReady: boolean;
  /**
   * Runs commands in one round trip and returns their replies in order. All keys of one call must be in the
   * same hash slot.
   */
  run(commands: readonly RedisCommand[]): Promise<readonly RedisReply[]>;
  /**
   * Runs commands like `run`, but atomically: all or none, and without other clients' commands in between.
   */
  runTogether(commands: readonly RedisCommand[]): Promise<readonly RedisReply[]>;
  /** Drops the connection and makes a new one, possibly to another server. */
  reconnect(): void;
  /** Drops the connection for good. */
  close(): void;
}
