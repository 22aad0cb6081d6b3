import { parentPort, workerData } from 'node:worker_threads';
import { learnFromFiles, suggestFromFiles } from './learn-from-files.ts';
import type { RecordsTask } from './read-on-thread.ts';

// One task for each thread: the next one is long in coming.
const { suggest, learn } = workerData as RecordsTask;
parentPort!.postMessage(learn === undefined ? await suggestFromFiles(suggest) : await learnFromFiles(learn));
