/**
 * A bare pipe as a process: the minimum cost of forwarding with `node:http`. Its argument is the upstream's
 * URL.
 */
import { Agent, createServer, request } from 'node:http';
import { listenAsProcess } from './listen-as-process.ts';

const upstream = new URL(process.argv[2]!);
const agent = new Agent({ keepAlive: true });

const server = createServer({ keepAliveTimeout: 65_000 }, (incoming, outgoing) => {
  const { method, url, headers } = incoming;
  const { hostname, port } = upstream;
  const sent = request({ agent, hostname, port, method, path: url, headers }, (response) => {
    outgoing.writeHead(response.statusCode!, response.rawHeaders);
    response.pipe(outgoing);
  });
  sent.on('error', () => outgoing.destroy());
  outgoing.once('close', () => {
    if (!outgoing.writableFinished) sent.destroy();
  });
  incoming.pipe(sent);
});
await listenAsProcess(server, 'bench pipe of node:http');
