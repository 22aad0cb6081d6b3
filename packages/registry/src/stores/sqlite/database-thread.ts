import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { StoreError } from '../store.ts';
import type { Answer, Greeting, Question } from './registry-database.ts';
import { isFull, RegistryDatabase } from './registry-database.ts';

/** Most requests of one transaction. */
const MAX_TOGETHER = 256;

/** Opens the file and serves requests in this thread; requests that arrive together share a transaction. */
function serve(file: string): void {
  const port = parentPort!;
  const database = open(file, (greeting) => port.postMessage(greeting));
  if (database === undefined) return;
  port.on('message', (first: Question | 'close') => {
    const questions: Question[] = [];
    let isClosing = false;
    for (let next: unknown = first; next !== undefined; next = receiveMessageOnPort(port)?.message) {
      if (next === 'close') isClosing = true;
      else questions.push(next as Question);
      if (isClosing || questions.length === MAX_TOGETHER) break;
    }
    for (const answer of answerAll(database, questions)) port.postMessage(answer);
    if (!isClosing) return;
    database.close();
    port.close();
  });
}

function open(file: string, greet: (greeting: Greeting) => void): RegistryDatabase | undefined {
  try {
    const database = new RegistryDatabase(file);
    greet({ opened: true });
    return database;
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    greet({ opened: false, code: error.code, message: error.message });
    return undefined;
  }
}

/** Executes all waiting requests in one transaction, with one confirmation by the disk. */
function answerAll(database: RegistryDatabase, questions: readonly Question[]): readonly Answer[] {
  if (questions.length === 0) return [];
  const answers = database.answerTogether(questions.map(({ request }) => request));
  return questions.map(({ number }, place): Answer => {
    const { value, error } = answers[place]!;
    if (error === undefined) return { number, ok: true, value };
    return { number, ok: false, failure: isFull(error) ? 'full' : 'failed', message: String(error) };
  });
}

serve(workerData as string);
