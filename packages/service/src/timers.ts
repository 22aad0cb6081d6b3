/** Calls repeatedly, until the returned function is called. Does not keep the process alive. */
export function everyInterval(intervalMs: number, call: () => void): () => void {
  const timer = setInterval(call, intervalMs).unref();
  return () => clearInterval(timer);
}

/** Calls once, unless the returned function is called before. */
export function afterDelay(delayMs: number, call: () => void): () => void {
  const timer = setTimeout(call, delayMs);
  return () => clearTimeout(timer);
}
