import { once } from 'node:events';
import type { AddressInfo, Server } from 'node:net';

/** Listens on a free local port, and prints the address to standard error, as the services do. */
export async function listenAsProcess(server: Server, name: string): Promise<void> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  process.stderr.write(`${name} listens on http://127.0.0.1:${port}\n`);
}
