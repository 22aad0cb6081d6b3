import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { MessageReader } from './message-reader.ts';

/** Durations of one exchange, in milliseconds from its first byte sent. */
export interface ExchangeTimes {
  /** Time until the last byte. */
  readonly totalMs: number;
}

/** A pending exchange. */
interface OpenExchange {
  readonly reader: MessageReader;
  readonly isOver: (reader: MessageReader) => boolean;
  readonly startedAt: number;
  readonly resolve: (times: ExchangeTimes) => void;
  readonly reject: (error: Error) => void;
}

/**
 * A kept-alive connection that sends prepared requests one after another.
 *
 * Contract: one exchange at a time. A response other than 200 is an error: a bench must not time refusals.
 */
export class Connection {
  readonly #socket: Socket;
  #exchange: OpenExchange | undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
    // One listener per connection, not per exchange: the bench must cost less than what it measures.
    socket.on('data', (piece: Buffer) => this.#receive(piece));
    socket.on('error', () => this.#fail(new Error('the connection broke before the response ended')));
    socket.on('close', () => this.#fail(new Error('the connection was closed before the response ended')));
  }

  static async open(url: string): Promise<Connection> {
    const { hostname, port } = new URL(url);
    const socket = connect({ host: hostname, port: Number(port), noDelay: true });
    await once(socket, 'connect');
    return new Connection(socket);
  }

  /** Opens several connections to one address. */
  static openAll(url: string, count: number): Promise<Connection[]> {
    return Promise.all(Array.from({ length: count }, () => Connection.open(url)));
  }

  /** Sends a request and reads its response to the end. */
  exchange(request: Buffer): Promise<ExchangeTimes> {
    return this.#send(request, (reader) => reader.isComplete);
  }

  /** Sends a request and closes the connection as soon as its response has begun. */
  async exchangeAndLeave(request: Buffer): Promise<void> {
    await this.#send(request, (reader) => reader.hasBody);
    this.close();
  }

  close(): void {
    this.#socket.destroy();
  }

  #send(request: Buffer, isOver: OpenExchange['isOver']): Promise<ExchangeTimes> {
    return new Promise((resolve, reject) => {
      if (this.#socket.destroyed) {
        reject(new Error('the connection was closed between two exchanges'));
        return;
      }
      const startedAt = performance.now();
      this.#exchange = {
        reader: new MessageReader(),
        isOver,
        startedAt,
        resolve,
        reject,
      };
      this.#socket.write(request);
    });
  }

  #receive(piece: Buffer): void {
    const exchange = this.#exchange;
    if (exchange === undefined) return;
    const { reader, isOver, startedAt, resolve } = exchange;
    const hadHead = reader.head !== '';
    reader.feed(piece);
    if (!hadHead && reader.head !== '' && reader.status !== 200) {
      this.#fail(new Error(`the response has the status ${reader.status}: ${piece.toString('utf8')}`));
      return;
    }
    if (!isOver(reader)) return;
    const totalMs = performance.now() - startedAt;
    this.#exchange = undefined;
    resolve({ totalMs });
  }

  #fail(error: Error): void {
    const exchange = this.#exchange;
    this.#exchange = undefined;
    exchange?.reject(error);
  }
}
