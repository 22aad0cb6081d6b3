/** Interval between checks whether npm is still running, in milliseconds. */
const LOOK_EVERY_MS = 500;

/**
 * Calls back when the npm that runs this process has ended. Without npm, the parent may end first: a shell
 * that started a service does.
 */
export function onceNpmEnds(callback: () => void): void {
  const { npm_lifecycle_event: script } = process.env;
  if (script === undefined) return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    callback();
  }, LOOK_EVERY_MS);
  timer.unref();
}
