import type { RunningProcess } from '../start-process.ts';

/** Starts a process that listens on a port. */
export type StartOnPort = (port: number) => Promise<RunningProcess>;

/** A service that can be ended and started again on the same port, under the same name. */
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

  /** The running process, or the last one. */
  get process(): RunningProcess {
    return this.#running;
  }

  /** Ends it by a signal. Returns its exit code, or null if the signal itself ended it. */
  async end(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null> {
    this.#running.signal(signal);
    return this.#running.ended;
  }

  /** Starts it again after its end. */
  async startAgain(): Promise<void> {
    this.#running = await this.#start(this.port);
  }

  /** Kills it for good; a drain would take too long. */
  async stop(): Promise<void> {
    await this.end('SIGKILL');
  }
}
