/**
 * A server that reads a request, discards it and responds: the cost of bodies of many megabytes for the
 * machine and Node's HTTP alone, client included. No selector can be faster with the same bodies.
 */
import { createServer } from 'node:http';

const ANSWER = JSON.stringify({ selected_names: [] });

const server = createServer((incoming, outgoing) => {
  incoming.resume();
  incoming.once('end', () => outgoing.end(ANSWER));
});
server.listen(Number(process.env.SELECTOR_SERVER_PORT), '127.0.0.1');
process.once('SIGTERM', () => {
  server.close();
  server.closeAllConnections();
});
