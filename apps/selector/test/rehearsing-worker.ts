/** A build worker that says when it has rehearsed, and when it has done with that or need not. */
import { parentPort } from 'node:worker_threads';

const channel = new BroadcastChannel('rehearsing-build-worker');
const port = parentPort!;
const send = port.postMessage.bind(port);
port.postMessage = (message, transfer) => {
  if (message.kind === 'rehearsed') channel.postMessage('has rehearsed');
  send(message, transfer);
};
await import('../src/catalogues/build-worker.ts');
channel.postMessage('is ready');
channel.close();
