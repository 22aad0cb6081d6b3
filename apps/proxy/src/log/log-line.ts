/** A line of the log: an event with its time in front, as JSON. `timeMs` is in milliseconds since 1970. */
export function logLine(event: object, timeMs: number): string {
  return `${JSON.stringify({ time: new Date(timeMs).toISOString(), ...event })}\n`;
}
