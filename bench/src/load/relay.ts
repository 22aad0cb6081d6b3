import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** The effect of a relay on its traffic. */
export type RelayMode =
  | { readonly kind: 'pass' }
  /** Delays every piece in both directions. */
  | { readonly kind: 'slow'; readonly ms: number }
  /** Accepts connections and forwards nothing. */
  | { readonly kind: 'silent' }
  /** Resets all connections, old and new. */
  | { readonly kind: 'reset' }
  /** Responds to every connection with these bytes. */
  | { readonly kind: 'garbage'; readonly bytes: Buffer };

/** A TCP relay in front of a target that is reached only through it. */
export interface Relay {
  readonly port: number;
  /**
   * Sets the mode. Connections that a mode disturbed are reset when it ends, because their lost bytes would
   * never arrive.
   */
  setMode(mode: RelayMode): void;
  close(): Promise<void>;
}

/** Returns the ports for a connection in order of preference; the first one that accepts is used. */
export type ChoosePorts = () => readonly number[];

const HOST = '127.0.0.1';

/** Starts a relay on a free port. */
export async function startRelay(choosePorts: ChoosePorts): Promise<Relay> {
  let mode: RelayMode = { kind: 'pass' };
  const open = new Set<Socket>();
  const track = (socket: Socket): Socket => {
    open.add(socket);
    return socket.setNoDelay().on('close', () => open.delete(socket));
  };
  const resetAll = () => {
    for (const socket of open) socket.resetAndDestroy();
  };
  const server = createServer({ noDelay: true }, (client) => {
    track(client).on('error', () => client.destroy());
    if (mode.kind === 'reset') client.resetAndDestroy();
    else void join(client);
  });

  async function join(client: Socket): Promise<void> {
    for (const port of choosePorts()) {
      const target = connect({ host: HOST, port, noDelay: true });
      const isThere = await Promise.race([
        once(target, 'connect').then(() => true),
        once(target, 'close').then(() => false),
      ]).catch(() => false);
      if (!isThere) continue;
      track(target).on('error', () => target.destroy());
      carry(client, target, () => mode);
      carry(target, client, () => (mode.kind === 'garbage' ? { kind: 'silent' } : mode));
      if (client.destroyed) target.destroy();
      return;
    }
    client.resetAndDestroy();
  }

  server.listen(0, HOST);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    setMode(next) {
      const isSpoilt = mode.kind === 'silent' || mode.kind === 'garbage';
      mode = next;
      if (isSpoilt || next.kind === 'reset') resetAll();
    },
    async close() {
      server.close();
      for (const socket of open) socket.destroy();
      await once(server, 'close');
    },
  };
}

/** Pipes one socket into the other, with backpressure. */
function carry(from: Socket, to: Socket, mode: () => RelayMode): void {
  let delayed = Promise.resolve();
  const write = (piece: Buffer) => {
    if (to.destroyed || to.write(piece)) return;
    from.pause();
    to.once('drain', () => from.resume());
  };
  from.on('data', (piece: Buffer) => {
    const now = mode();
    switch (now.kind) {
      case 'pass':
        delayed = delayed.then(() => write(piece));
        break;
      case 'slow':
        delayed = delayed.then(() => wait(now.ms)).then(() => write(piece));
        break;
      case 'garbage':
        if (!from.destroyed) from.write(now.bytes);
        break;
      case 'silent':
      case 'reset':
        break;
      default:
        now satisfies never;
    }
  });
  from.on('end', () => void delayed.then(() => to.end()));
  from.on('close', () => {
    if (!from.readableEnded) to.destroy();
  });
}

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
