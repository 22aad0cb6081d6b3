import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { onTestFinished } from 'vitest';

/** A provider's WebSocket server, and the requests that it got. */
export interface WebSocketUpstream {
  readonly url: string;
  readonly upgrades: readonly IncomingMessage[];
  /** Ends all connections, as a provider does when a session is over. */
  readonly endAll: () => void;
}

/**
 * Starts a server that answers each text message by `reply`; it refuses paths that contain `refused`, and breaks
 * off its refusal for those that contain `broken`.
 */
export async function startWebSocketUpstream(
  reply: (text: string) => readonly string[] = (text) => [text],
): Promise<WebSocketUpstream> {
  const upgrades: IncomingMessage[] = [];
  const sockets = new Set<Duplex>();
  const server = createServer((_, outgoing) => outgoing.writeHead(404).end());
  server.on('upgrade', (incoming, socket, first) => {
    upgrades.push(incoming);
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('end', () => socket.end()).on('close', () => sockets.delete(socket));
    if (incoming.url?.includes('refused')) {
      socket.end(
        'HTTP/1.1 401 Unauthorized\r\nx-request-id: req-1\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n9\r\n{"no": 1}\r\n0\r\n\r\n',
      );
      return;
    }
    if (incoming.url?.includes('broken')) {
      socket.write('HTTP/1.1 401 Unauthorized\r\ncontent-length: 500\r\n\r\n{"no":', () => socket.destroy());
      return;
    }
    socket.write(handshake(incoming));
    const read = createFrameReader((text) => {
      for (const answer of reply(text)) socket.write(frameOf(answer));
    });
    if (first.length > 0) read(first);
    socket.on('data', read);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    upgrades,
    endAll: () => {
      for (const socket of sockets) socket.end();
    },
  };
}

/** Source: https://www.rfc-editor.org/rfc/rfc6455#section-4.2.2 */
function handshake({ headers }: IncomingMessage): string {
  const accept = createHash('sha1')
    .update(`${headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
    .digest('base64');
  const [protocol] = headers['sec-websocket-protocol']?.split(',') ?? [];
  const chosen = protocol === undefined ? '' : `sec-websocket-protocol: ${protocol}\r\n`;
  return `HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\nsec-websocket-accept: ${accept}\r\n${chosen}x-request-id: req-1\r\nset-cookie: a=b\r\n\r\n`;
}

/** Calls back with each text of masked frames; other frames are ignored. */
function createFrameReader(onText: (text: string) => void): (piece: Buffer) => void {
  let held: Buffer = Buffer.alloc(0);
  return (piece) => {
    held = Buffer.concat([held, piece]);
    for (;;) {
      if (held.length < 2) return;
      const short = held[1]! & 127;
      const start = short === 126 ? 4 : short === 127 ? 10 : 2;
      if (held.length < start + 4) return;
      const length =
        short === 126 ? held.readUInt16BE(2) : short === 127 ? Number(held.readBigUInt64BE(2)) : short;
      const end = start + 4 + length;
      if (held.length < end) return;
      const mask = held.subarray(start, start + 4);
      const text = held.subarray(start + 4, end).map((byte, at) => byte ^ mask[at % 4]!);
      if ((held[0]! & 15) === 1) onText(Buffer.from(text).toString());
      held = held.subarray(end);
    }
  };
}

function frameOf(text: string): Buffer {
  const bytes = Buffer.from(text);
  const head = Buffer.alloc(10);
  head[0] = 129;
  head[1] = 127;
  head.writeBigUInt64BE(BigInt(bytes.length), 2);
  return Buffer.concat([head, bytes]);
}
