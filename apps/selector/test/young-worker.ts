/** A build worker that says at its start how large its young generation is. */
import { getHeapSpaceStatistics } from 'node:v8';

const young = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space');
const channel = new BroadcastChannel('young-build-worker');
channel.postMessage(young?.space_size);
channel.close();
await import('../src/catalogues/build-worker.ts');
