/** A build worker that rehearses at once, where it is told to, and keeps what it gets; it says how it was started when it starts and when it gets something. */
import { parentPort, workerData } from 'node:worker_threads';

const channel = new BroadcastChannel('rehearsing-build-worker');
const start = workerData.rehearses ? 'ahead' : 'for a request';
channel.postMessage(`started ${start}`);
parentPort!.on('message', () => channel.postMessage(`got a request, started ${start}`));
if (workerData.rehearses) parentPort!.postMessage({ kind: 'rehearsed' });
