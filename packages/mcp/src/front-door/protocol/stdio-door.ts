import type { Readable, Writable } from 'node:stream';
import type { Server } from '@modelcontextprotocol/server';
import type { FrontDoor } from '../front-door.ts';
import { createProtocolServer, type ProtocolIdentity } from './create-protocol-server.ts';
import { loadServerPackage, loadStdioPackage } from './load-server-package.ts';

/** Options of a stdio door. */
export interface StdioDoorOptions {
  readonly door: FrontDoor;
  readonly identity: ProtocolIdentity;
  readonly input: Readable;
  /** Takes the protocol, and must take nothing else. */
  readonly output: Writable;
  /** Receives internal errors, which the client never sees. Must not throw. */
  readonly onDefect: (error: unknown) => void;
  /** The client has ended the connection. */
  readonly onClosed: () => void;
}

/** A front door over stdin and stdout. */
export interface StdioDoor {
  notifyListChanged(): void;
  close(): Promise<void>;
}

/** Serves one client, of either era. Rejects when the vendor's package is not installed, with the line that installs it. */
export async function openStdioDoor(options: StdioDoorOptions): Promise<StdioDoor> {
  const { door, identity, input, output, onDefect, onClosed } = options;
  const [library, stdio] = await Promise.all([loadServerPackage(), loadStdioPackage()]);
  // The last one is the one that serves: a probe of the newer era is made before.
  let server: Server | undefined;
  const transport = new stdio.StdioServerTransport(input, output);
  const handle = stdio.serveStdio(
    () => {
      server = createProtocolServer({ door, identity, library, onDefect });
      return server;
    },
    { transport },
  );
  input.once('end', onClosed);
  input.once('close', onClosed);
  return {
    notifyListChanged: () => void server?.sendToolListChanged().catch(() => {}),
    close: () => handle.close(),
  };
}
