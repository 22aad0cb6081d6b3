import type { Socket } from 'node:net';

/** How connections of either version are told apart. */
export interface VersionSwitch {
  /** How long the first bytes may take, in milliseconds. */
  readonly timeoutMs: number;
  readonly onHttp1: (socket: Socket) => void;
  readonly onHttp2: (socket: Socket) => void;
  /** Nothing has come in time. */
  readonly onLate: (socket: Socket) => void;
}

/** How every connection of HTTP/2 begins, and no method of HTTP/1.1. Source: https://www.rfc-editor.org/rfc/rfc9113#section-3.4 */
const PREFACE = Buffer.from('PRI');

/**
 * Looks at the first bytes of a connection, and gives it with all of them to whoever speaks its version: clients of HTTP/2 without TLS begin with
 * it where they know that the server has it.
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
    // What is put back is read by whoever listens next.
    socket.pause();
    socket.unshift(first);
    if (mayBeHttp2) onHttp2(socket);
    else onHttp1(socket);
    process.nextTick(() => socket.resume());
  };
  socket.setTimeout(timeoutMs);
  socket.on('data', onData).on('error', onError).on('close', forget).on('timeout', onTimeout);
}
