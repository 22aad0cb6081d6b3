import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { ServerHttp2Session } from 'node:http2';
import type { Socket } from 'node:net';
import { isTlsServer } from './tls/is-tls-server.ts';

/** What is known of a connection. */
interface Connection {
  /** The answer that is being made, if any. */
  outgoing: ServerResponse | undefined;
  /** Bytes that had come when the last request and its answer were over. */
  bytesBefore: number;
}

/** How clients are parted from. */
export interface Parting {
  readonly deadline: AbortSignal;
  /** Lets the event loop go round once. */
  readonly pause: () => Promise<unknown>;
}

/**
 * The connections of a server, and how to part from their clients: Node's own `closeAllConnections` and `closeIdleConnections` destroy
 * what they close, and a request that comes in that moment on a connection that was kept alive is answered by a reset.
 */
export class OpenConnections {
  readonly #connections = new Map<Socket, Connection>();
  /** Every socket, those included on which TLS is not agreed upon yet. */
  readonly #sockets = new Set<Socket>();
  /** Those of HTTP/2, which part from their clients themselves. */
  readonly #sessions = new Set<ServerHttp2Session>();
  #isParting = false;
  #onNone: (() => void) | undefined;

  /**
   * Looks after all connections of a server from now on. The server has to have listeners of its own for every event of a request,
   * `checkContinue` included: Node asks for the bodies of such requests by itself only as long as nobody listens.
   */
  constructor(server: Server) {
    server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
    server.on('session', (session: ServerHttp2Session) => {
      this.#sessions.add(session);
      session.once('close', () => this.#sessions.delete(session));
      if (this.#isParting) session.close();
    });
    const opened = isTlsServer(server) ? 'secureConnection' : 'connection';
    server.on(opened, (socket: Socket) => this.#add(socket));
    for (const event of ['request', 'checkContinue', 'checkExpectation']) {
      server.on(event, (incoming: IncomingMessage, outgoing: ServerResponse) =>
        this.#note(incoming, outgoing),
      );
    }
  }

  /** Makes every answer whose head is not written yet the last one on its connection. */
  keepNoneAlive(): void {
    // Those that run go on; new ones need another connection.
    for (const session of this.#sessions) session.close();
    for (const { outgoing } of this.#connections.values()) {
      if (outgoing && !outgoing.headersSent) outgoing.shouldKeepAlive = false;
    }
  }

  /** Cuts off the answers that are not over. */
  cutOff(): void {
    for (const session of this.#sessions) session.destroy();
    for (const [socket, { outgoing }] of this.#connections) {
      if (outgoing && !outgoing.writableEnded) socket.destroy();
    }
  }

  /**
   * Ends the connections on which nothing comes, and waits until the clients have closed all of them, or until `deadline` aborts. A
   * request that is just coming is still given to the listener, whose answer should be the connection's last.
   *
   * Source: https://www.rfc-editor.org/rfc/rfc9112#section-9.6
   */
  async letGo({ deadline, pause }: Parting): Promise<void> {
    // What the system has received already is read in the turn after the next pause.
    await pause();
    await pause();
    this.#isParting = true;
    for (const session of this.#sessions) session.close();
    for (const [socket, connection] of this.#connections) endIfIdle(socket, connection);
    if (this.#connections.size === 0 || deadline.aborted) return;
    await new Promise<void>((resolve) => {
      this.#onNone = resolve;
      deadline.addEventListener('abort', () => resolve(), { once: true });
    });
  }

  /** Closes what is left. */
  destroyAll(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  #add(socket: Socket): void {
    this.#connections.set(socket, { outgoing: undefined, bytesBefore: socket.bytesRead });
    socket.once('close', () => {
      this.#connections.delete(socket);
      if (this.#connections.size === 0) this.#onNone?.();
    });
  }

  #note(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const { socket } = incoming;
    const connection = this.#connections.get(socket);
    if (!connection) return;
    connection.outgoing = outgoing;
    const settle = () => {
      if (connection.outgoing === outgoing) connection.outgoing = undefined;
      connection.bytesBefore = socket.bytesRead;
      if (this.#isParting) endIfIdle(socket, connection);
    };
    outgoing.on('close', () => {
      // A request may be answered before its last byte has come.
      if (incoming.complete) settle();
      else incoming.once('end', settle);
    });
  }
}

/** Bytes that have come since the last request are the beginning of the next one. */
function endIfIdle(socket: Socket, { outgoing, bytesBefore }: Connection): void {
  if (!outgoing && socket.bytesRead === bytesBefore) socket.end();
}
