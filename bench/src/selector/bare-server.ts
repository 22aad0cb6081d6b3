/**
 * A server that reads a request, throws it away and answers: what bodies of many megabytes cost the machine and Node's HTTP
 * alone, client included. No selector that is sent the same bodies can be faster.
 */
import { createServer } from 'node:http';

const ANSWER = JSON.stringify({ selected_names: [] });

const server = createServer((incoming, outgoing) => {
  incoming.resume();
  incoming.once('end', () => outgoing.end(ANSWER));
});
server.listen(Number(process.env.PORT), '127.0.0.1');
process.once('SIGTERM', () => {
  server.close();
  server.closeAllConnections();
});
