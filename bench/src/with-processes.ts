/** Something that runs until it is stopped. */
export interface Stoppable {
  stop(): Promise<void>;
}

/** Waits until something runs, gives it back, and sees to it that it is stopped. */
export type Keep = <Running extends Stoppable>(starting: Promise<Running>) => Promise<Running>;

/** Uses processes while they run, and stops them in the end, the last one first, whatever happens. */
export async function withProcesses<Value>(use: (keep: Keep) => Promise<Value>): Promise<Value> {
  const running: Stoppable[] = [];
  try {
    return await use(async (starting) => {
      const started = await starting;
      running.push(started);
      return started;
    });
  } finally {
    for (const one of running.toReversed()) await one.stop();
  }
}
