import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { ServerHttp2Session } from 'node:http2';
import type { Socket } from 'node:net';
import { isTlsServer } from './tls.ts';

/** The state of a connection. */
interface Connection {
  /** The response in progress, if any. */
  outgoing: ServerResponse | undefined;
  /** The number of bytes received when the last exchange ended. */
  bytesBefore: number;
}

/** The options of closing the connections. */
export interface Parting {
  readonly deadline: AbortSignal;
  /** Waits for one turn of the event loop. */
  readonly pause: () => Promise<unknown>;
}

/**
 * The connections of a server, and a way to close them without a reset. Node's own `closeAllConnections` and
 * `closeIdleConnections` destroy connections, and a request that arrives at that moment on a kept-alive
 * connection is answered with a reset.
 */
export class OpenConnections {
  readonly #connections = new Map<Socket, Connection>();
  /** All sockets, including those whose TLS handshake is not complete. */
  readonly #sockets = new Set<Socket>();
  /** The HTTP/2 sessions, which close themselves properly. */
  readonly #sessions = new Set<ServerHttp2Session>();
  #isParting = false;
  #onNone: (() => void) | undefined;

  /**
   * Tracks all connections of a server from now on. The server must have its own listeners for every event of
   * a request, including `checkContinue`: Node requests the body itself only if there is no listener.
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

  /** Makes every response whose head is not yet written the last one on its connection. */
  keepNoneAlive(): void {
    // Running requests continue; new ones need another connection.
    for (const session of this.#sessions) session.close();
    for (const { outgoing } of this.#connections.values()) {
      if (outgoing && !outgoing.headersSent) outgoing.shouldKeepAlive = false;
    }
  }

  /** Cuts off the unfinished responses. */
  cutOff(): void {
    for (const session of this.#sessions) session.destroy();
    for (const [socket, { outgoing }] of this.#connections) {
      if (outgoing && !outgoing.writableEnded) socket.destroy();
    }
  }

  /**
   * Ends the idle connections, and waits until the clients have closed all of them, or until `deadline`
   * aborts. A request that is arriving still goes to the listener, whose response should be the connection's
   * last.
   *
   * Source: https://www.rfc-editor.org/rfc/rfc9112#section-9.6
   */
  async letGo({ deadline, pause }: Parting): Promise<void> {
    // Data that the system has already received is read in the turn after the next pause.
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

  /** Closes the remaining connections. */
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
      // A request may be answered before its last byte arrives.
      if (incoming.complete) settle();
      else incoming.once('end', settle);
    });
  }
}

/** Ends an idle connection. Bytes received since the last request are the beginning of the next one. */
function endIfIdle(socket: Socket, { outgoing, bytesBefore }: Connection): void {
  if (!outgoing && socket.bytesRead === bytesBefore) socket.end();
}
