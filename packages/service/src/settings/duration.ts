const UNITS_MS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** Milliseconds of a text such as `500ms`, `2s`, `1.5m`, `1h`, `7d`; undefined for anything else. The unit must be there. */
export function parseDuration(text: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(text);
  return match ? Number(match[1]) * UNITS_MS[match[2] as keyof typeof UNITS_MS] : undefined;
}
