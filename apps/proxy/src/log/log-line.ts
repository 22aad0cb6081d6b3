/** Returns a log line: the event as JSON with its time first. `timeMs` is in milliseconds since 1970. */
export function logLine(event: object, timeMs: number): string {
  return `${JSON.stringify({ time: new Date(timeMs).toISOString(), ...event })}\n`;
}
