const TIMES = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000, ms: 1 } as const;
const SIZES = { GiB: 2 ** 30, MiB: 2 ** 20, KiB: 2 ** 10, B: 1 } as const;

/**
 * Returns the milliseconds of a text such as `500ms`, `2s`, `1.5m`, `1h`, `7d`; undefined for anything else.
 * The unit is required.
 */
export function parseDuration(text: string): number | undefined {
  return parse(TIMES, /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/, text);
}

/**
 * Returns the bytes of a text such as `512KiB`, `50MiB`, `1GiB`, `100B`; undefined for anything else. The
 * unit is required.
 */
export function parseByteSize(text: string): number | undefined {
  return parse(SIZES, /^(\d+)(B|KiB|MiB|GiB)$/, text);
}

/**
 * Returns milliseconds as a text for `parseDuration`, in the largest unit that gives a whole number: `90s`,
 * `2h`.
 */
export function printDuration(ms: number): string {
  return ms === 0 ? '0s' : print(TIMES, ms);
}

/** Returns bytes as a text for `parseByteSize`, in the largest unit that gives a whole number: `1536MiB`. */
export function printByteSize(bytes: number): string {
  return bytes === 0 ? '0B' : print(SIZES, bytes);
}

type Units = Readonly<Record<string, number>>;

function parse(units: Units, form: RegExp, text: string): number | undefined {
  const [, amount, unit = ''] = form.exec(text) ?? [];
  return amount === undefined ? undefined : Number(amount) * units[unit]!;
}

function print(units: Units, amount: number): string {
  const smallest = Object.entries(units).at(-1)!;
  const [unit, size] = Object.entries(units).find(([, one]) => amount % one === 0) ?? smallest;
  return `${amount / size}${unit}`;
}
