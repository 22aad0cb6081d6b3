/** A defect as a log line: its name and where it was thrown. Not its message, which may quote what it was given. */
export function defectLine(error: unknown, timeMs: number): string {
  const time = new Date(timeMs).toISOString();
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  const at = stack
    .split('\n')
    .filter((line) => line.startsWith('    at '))
    .map((line) => line.trim().slice('at '.length));
  const name = error instanceof Error ? error.name : typeof error;
  return `${JSON.stringify({ time, event: 'defect', error: name, at })}\n`;
}
