import { Worker } from 'node:worker_threads';
import type { Suggestions } from '@winnow/learning';
import type { Settings } from '../config/config.ts';
import type { LearningOrder } from './learn-from-files.ts';

/** A reading of all records: to learn, or the files to make suggestions from. */
export type RecordsTask =
  | { readonly learn: LearningOrder; readonly suggest?: undefined }
  | { readonly suggest: readonly string[]; readonly learn?: undefined };

/** Returns the files of records, the oldest first; some may not exist. */
export function recordFiles(settings: Settings): readonly string[] {
  const file = settings['records.file'];
  const rotated = Array.from({ length: settings['records.keep'] }, (_, at) => `${file}.${at + 1}`);
  return [...rotated.reverse(), file];
}

/** Learns on another thread. */
export function learnOnThread(learn: LearningOrder): Promise<unknown> {
  return readOnThread({ learn });
}

/** Makes suggestions from files of records, on another thread. */
export function suggestOnThread(suggest: readonly string[]): Promise<Suggestions[]> {
  return readOnThread({ suggest }) as Promise<Suggestions[]>;
}

const PROGRAM = new URL('./learning-worker.ts', import.meta.url);

/** Heap limit of the thread, in MiB. */
const HEAP_MB = 512;

/** Reads on a separate thread: reading all records takes seconds. */
function readOnThread(task: RecordsTask): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  const worker = new Worker(PROGRAM, {
    workerData: task,
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
  });
  worker.unref();
  worker.on('message', resolve);
  worker.on('error', reject);
  worker.on('exit', () => reject(new Error('the thread has ended')));
  return promise;
}
