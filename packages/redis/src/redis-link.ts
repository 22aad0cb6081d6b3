/** One command: its name, and its arguments. */
export type RedisCommand = readonly [name: string, ...values: (string | number)[]];

/** The reply to one command. */
export type RedisReply =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly error: Error };

/** Told of the ways of a connection. */
export interface RedisLinkListener {
  /** Commands are answered from now on. */
  readonly onReady: () => void;
  /** The connection is gone, or could not be made; a new one is tried by itself. */
  readonly onLost: (error: Error) => void;
}

/**
 * A connection to a Redis, be it one server, one found through Sentinels, or a cluster.
 *
 * Contract: nothing rejects, throws or waits for a connection: without one, every reply is an error at once. No command is sent twice
 * but when a cluster says that its key has moved. There is no deadline: who asks stops waiting.
 */
export interface RedisLink {
  readonly isReady: boolean;
  /** Runs commands in one round trip and gives their replies in order. Keys of one call belong to one hash slot. */
  run(commands: readonly RedisCommand[]): Promise<readonly RedisReply[]>;
  /** As `run`, all of them or none, with nobody's commands between. */
  runTogether(commands: readonly RedisCommand[]): Promise<readonly RedisReply[]>;
  /** Drops the connection and makes a new one, perhaps to another server. */
  reconnect(): void;
  /** Drops the connection for good. */
  close(): void;
}
