/** A build worker that says when it starts. */
const channel = new BroadcastChannel('listening-build-worker');
channel.postMessage('started');
channel.close();
await import('../src/catalogues/build-worker.ts');

export {};
