import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { AnswerReader } from './answer-reader.ts';

/** What one exchange took, in milliseconds from its first byte sent. */
export interface ExchangeTimes {
  /** Until the first byte of the answer's body. */
  readonly firstByteMs: number;
  /** Until its last. */
  readonly totalMs: number;
}

/**
 * One kept-alive connection that sends requests made beforehand, one after the other.
 *
 * Contract: one exchange at a time. An answer other than 200 is an error: a bench must not time refusals.
 */
export class Connection {
  readonly #socket: Socket;

  private constructor(socket: Socket) {
    this.#socket = socket;
  }

  static async open(url: string): Promise<Connection> {
    const { hostname, port } = new URL(url);
    const socket = connect({ host: hostname, port: Number(port), noDelay: true });
    await once(socket, 'connect');
    return new Connection(socket);
  }

  /** Sends a request and reads its answer to the end. */
  exchange(request: Buffer): Promise<ExchangeTimes> {
    return this.#send(request, (reader) => reader.isComplete);
  }

  /** Sends a request and leaves as soon as its answer has begun. The connection is closed then. */
  async exchangeAndLeave(request: Buffer): Promise<void> {
    await this.#send(request, (reader) => reader.hasBody);
    this.close();
  }

  close(): void {
    this.#socket.destroy();
  }

  #send(request: Buffer, isOver: (reader: AnswerReader) => boolean): Promise<ExchangeTimes> {
    const socket = this.#socket;
    const reader = new AnswerReader();
    return new Promise((resolve, reject) => {
      const startedAt = performance.now();
      let firstByteMs: number | undefined;
      const finish = (settle: () => void) => {
        socket.removeAllListeners();
        settle();
      };
      const fail = () => finish(() => reject(new Error('the connection was closed before the answer ended')));
      socket.on('error', fail);
      socket.on('close', fail);
      socket.on('data', (piece: Buffer) => {
        reader.feed(piece);
        if (reader.hasBody) firstByteMs ??= performance.now() - startedAt;
        if (reader.status !== 0 && reader.status !== 200) {
          finish(() => reject(new Error(`answered with ${reader.status}: ${piece.toString('utf8')}`)));
          return;
        }
        if (!isOver(reader)) return;
        const totalMs = performance.now() - startedAt;
        finish(() => resolve({ firstByteMs: firstByteMs ?? totalMs, totalMs }));
      });
      socket.write(request);
    });
  }
}
