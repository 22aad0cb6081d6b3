import type { Socket } from 'node:net';

/** The options of separating connections by their HTTP version. */
export interface VersionSwitch {
  /** The time in which the first bytes must arrive, in milliseconds. */
  readonly timeoutMs: number;
  readonly onHttp1: (socket: Socket) => void;
  readonly onHttp2: (socket: Socket) => void;
  /** Called when no bytes arrived in time. */
  readonly onLate: (socket: Socket) => void;
}

/**
 * The beginning of every HTTP/2 connection, which is not a method of HTTP/1.1. Source:
 * https://www.rfc-editor.org/rfc/rfc9113#section-3.4
 */
const PREFACE = Buffer.from('PRI');

/**
 * Reads the first bytes of a connection and passes it, with these bytes, to the handler of its version.
 * Clients without TLS may begin with HTTP/2 if they know that the server supports it.
 */
export function switchVersion(socket: Socket, { timeoutMs, onHttp1, onHttp2, onLate }: VersionSwitch): void {
  let first: Buffer = Buffer.alloc(0);
  const forget = () => {
    socket.off('data', onData).off('error', onError).off('close', forget).off('timeout', onTimeout);
    socket.setTimeout(0);
  };
  const onError = () => socket.destroy();
  const onTimeout = () => {
    forget();
    onLate(socket);
  };
  const onData = (piece: Buffer) => {
    first = first.length === 0 ? piece : Buffer.concat([first, piece]);
    const length = Math.min(first.length, PREFACE.length);
    const mayBeHttp2 = first.subarray(0, length).equals(PREFACE.subarray(0, length));
    if (mayBeHttp2 && length < PREFACE.length) return;
    forget();
    // The next listener reads the bytes that are put back.
    socket.pause();
    socket.unshift(first);
    if (mayBeHttp2) onHttp2(socket);
    else onHttp1(socket);
    process.nextTick(() => socket.resume());
  };
  socket.setTimeout(timeoutMs);
  socket.on('data', onData).on('error', onError).on('close', forget).on('timeout', onTimeout);
}
