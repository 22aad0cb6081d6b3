/** Something that runs until it is stopped. */
export interface Stoppable {
  stop(): Promise<void>;
}

/** Waits until something runs, returns it, and ensures that it is stopped. */
export type Keep = <Running extends Stoppable>(starting: Promise<Running>) => Promise<Running>;

/** Uses processes while they run, and always stops them at the end, in reverse order. */
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
