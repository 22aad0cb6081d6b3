import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import type { Progress } from './mcp-servers.ts';

/** A request for an unchanged result. */
interface Asked {
  answer: unknown;
}

/** Passes the vendor's checks of both eras for every request that is asked here. */
const STAND_IN = {
  ...{ resultType: 'complete', ttlMs: 0, cacheScope: 'private' },
  ...{ tools: [], prompts: [], resources: [], resourceTemplates: [] },
  ...{ content: [], messages: [], contents: [], completion: { values: [] } },
} as const;

/**
 * Answers as servers give them. The vendor's client checks a list as a whole, so that one bad tool would cost all of them; it refuses results
 * with kinds of content that it does not know, and loses progress that comes with the result. So a connected transport is tapped: the client
 * gets a stand-in for each result, and the caller gets the result itself.
 */
export class RawAnswers {
  readonly #asked = new Map<string | number, Asked>();
  readonly #progress = new Map<unknown, (progress: Progress) => void>();
  /** The request that is being sent in this very turn. */
  #sending: Asked | undefined;
  #count = 0;

  /** @param transport of a client that is connected. */
  constructor(transport: Transport) {
    const { onmessage: receive } = transport;
    const send = transport.send.bind(transport);
    transport.send = (message, options) => {
      if (this.#sending !== undefined && 'method' in message && 'id' in message) {
        this.#asked.set(message.id, this.#sending);
        this.#sending = undefined;
      }
      return send(message, options);
    };
    transport.onmessage = (message, extra) => {
      const passed = this.#take(message);
      if (passed !== undefined) receive?.call(transport, passed as never, extra);
    };
  }

  /**
   * Returns the answer to a request, unchecked. Rejects like the client.
   *
   * @param send makes the client send the request, at once; gets the token that progress is asked for with,
   *   when it is.
   */
  async ask(
    send: (progressToken: string | undefined) => Promise<unknown>,
    onProgress?: (progress: Progress) => void,
  ): Promise<unknown> {
    const asked: Asked = { answer: undefined };
    const token = onProgress && `winnow-${++this.#count}`;
    if (onProgress) this.#progress.set(token, onProgress);
    this.#sending = asked;
    try {
      const sent = send(token);
      this.#sending = undefined;
      await sent;
      return asked.answer;
    } finally {
      this.#progress.delete(token);
      for (const [id, one] of this.#asked) if (one === asked) this.#asked.delete(id);
    }
  }

  /** Returns the message that the client receives; undefined for none. */
  #take(message: JSONRPCMessage): JSONRPCMessage | undefined {
    if ('method' in message && message.method === 'notifications/progress') {
      const { progressToken, ...progress } = (message.params ?? {}) as Record<string, unknown>;
      const listener = this.#progress.get(progressToken);
      if (listener === undefined) return message;
      listener(progress as unknown as Progress);
      return undefined;
    }
    if (!('result' in message) || message.id === undefined) return message;
    const asked = this.#asked.get(message.id);
    if (asked === undefined) return message;
    asked.answer = message.result;
    return { ...message, result: STAND_IN as never };
  }
}
