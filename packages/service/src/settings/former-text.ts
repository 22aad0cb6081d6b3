/** The text of a variable under its former name, converted for today's setting. */
export interface FormerText {
  readonly value: unknown;
  /** The unit at the end of the former name, if it has one. */
  readonly unit?: string;
}

const UNITS = { _MS: ['milliseconds', 'ms'], _BYTES: ['bytes', 'B'] } as const;

/** Reads the value of a variable whose name ends with its unit: `30000` in `…_MS` is `30000ms`. */
export function readFormerText(variable: string, text: string): FormerText {
  for (const [end, [unit, suffix]] of Object.entries(UNITS)) {
    if (variable.endsWith(end)) return { value: /^\d+$/.test(text) ? `${text}${suffix}` : NaN, unit };
  }
  return { value: text };
}
