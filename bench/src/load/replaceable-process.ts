import type { RunningProcess } from '../start-process.ts';

/** Starts a process that listens on a port. */
export type StartOnPort = (port: number) => Promise<RunningProcess>;

/** A service that is ended and started again on the same port, under the same name. */
export class ReplaceableProcess {
  readonly name: string;
  readonly port: number;
  readonly #start: StartOnPort;
  #running: RunningProcess;

  private constructor(name: string, start: StartOnPort, running: RunningProcess) {
    this.name = name;
    this.#start = start;
    this.#running = running;
    this.port = Number(new URL(running.url).port);
  }

  /** Starts it for the first time, on a free port. */
  static async start(name: string, start: StartOnPort): Promise<ReplaceableProcess> {
    return new ReplaceableProcess(name, start, await start(0));
  }

  /** The one that runs now, or ran last. */
  get process(): RunningProcess {
    return this.#running;
  }

  /** Ends it by a signal, and gives its exit code: null when the signal itself ended it. */
  async end(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null> {
    this.#running.signal(signal);
    return this.#running.ended;
  }

  /** Starts it again after its end. */
  async startAgain(): Promise<void> {
    this.#running = await this.#start(this.port);
  }

  /** Ends it for good, and at once: a drain would take its time. */
  async stop(): Promise<void> {
    await this.end('SIGKILL');
  }
}
