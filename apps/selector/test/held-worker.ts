/**
 * A build worker that waits for a word before it does anything, so that a test can look at the service while builds are under
 * way, and that ends when a request asks it to.
 */
import { parentPort } from 'node:worker_threads';

const channel = new BroadcastChannel('held-build-worker');
channel.postMessage('held');
await new Promise((resolve) => {
  channel.onmessage = ({ data }) => {
    if (data === 'go') resolve(undefined);
  };
});
channel.close();

// Comes before the listener of the real worker, which does not hear of what ends here.
parentPort!.addEventListener('message', (event) => {
  const { data } = event as Event & { data: { bytes: Uint8Array } };
  const text = Buffer.from(data.bytes);
  if (text.includes('please exit')) process.exit(1);
  if (!text.includes('please throw')) return;
  event.stopImmediatePropagation();
  throw new TypeError('a secret from the request');
});
await import('../src/catalogues/build-worker.ts');
