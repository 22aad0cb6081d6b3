import { parentPort, workerData } from 'node:worker_threads';
import { type LearningOrder, learnFromFiles } from './learn-from-files.ts';

// One order for each thread: a day lies between two of them.
parentPort!.postMessage(await learnFromFiles(workerData as LearningOrder));
