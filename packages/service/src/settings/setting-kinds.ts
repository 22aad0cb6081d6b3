import { z } from 'zod';
import type { Setting, SpentBy } from './setting.ts';

/**
 * Returns a setting with its own schema. `allowed` completes "… must be"; `print` writes a value as `schema`
 * reads it.
 */
export function of<Value>(
  schema: z.ZodType<Value>,
  fallback: Value,
  allowed: string,
  print: (value: Value) => string = (value) => JSON.stringify(value),
): Setting<Value> {
  return { schema, default: fallback, allowed, readsEmpty: false, print };
}

/** Returns a setting that may be left out; undefined unless set. */
export function optional<Value>({ schema, allowed, print }: Setting<Value>): Setting<Value | undefined> {
  return of<Value | undefined>(schema, undefined, allowed, (value) =>
    value === undefined ? '' : print(value),
  );
}

/** Returns the schema of a number, written as a number or as a text of this form. */
const numeric = (form: RegExp) => z.union([z.number(), z.string().regex(form).transform(Number)]);

/** Returns a setting for a whole number, written as a number or as digits. `most` may be infinite. */
export function wholeNumber(least: number, most: number, fallback: number): Setting<number> {
  const upTo = most === Number.POSITIVE_INFINITY ? '' : ` to ${most}`;
  const bounded = z.int().min(least).max(Math.min(most, Number.MAX_SAFE_INTEGER));
  return of(numeric(/^\d+$/).pipe(bounded), fallback, `a whole number from ${least}${upTo}`);
}

/** Returns a setting for a number, written as a number or in decimal notation. */
export function number(least: number, most: number, fallback: number): Setting<number> {
  const bounded = z.number().min(least).max(most);
  return of(numeric(/^\d*\.?\d+$/).pipe(bounded), fallback, `a number from ${least} to ${most}`);
}

/** Returns a setting for one of a few words. */
export function oneOf<const Values extends readonly [string, ...string[]]>(
  values: Values,
  fallback: Values[number],
): Setting<Values[number]> {
  return of<Values[number]>(z.enum(values), fallback, `one of ${values.join(', ')}`);
}

/** Returns a setting for `true` or `false`. */
export function flag(fallback: boolean): Setting<boolean> {
  const word = z.enum(['true', 'false']).transform((text) => text === 'true');
  return of(z.union([z.boolean(), word]), fallback, 'true or false');
}

/** The longest time that Node's timers can wait. */
const LONGEST_MS = 2 ** 31 - 1;

/** Returns a setting for a time with its unit, such as `500ms`; the value is in milliseconds. */
export function duration(fallback: string, leastMs: number, mostMs = LONGEST_MS): Setting<number> {
  return of(
    z
      .string()
      .transform((text) => parseDuration(text) ?? Number.NaN)
      .refine((ms) => ms >= leastMs && ms <= mostMs),
    parseDuration(fallback)!,
    `a time with its unit, such as ${fallback}, from ${leastMs}ms to ${Math.floor(mostMs / 86_400_000)}d`,
    printDuration,
  );
}

/** The default upper bound of sizes. */
const LARGEST_BYTES = 2 ** 31;

/** Returns a setting for a size with its unit, such as `50MiB`; the value is in bytes. */
export function byteSize(fallback: string, least = 1, most = LARGEST_BYTES): Setting<number> {
  const from = least > 1 ? `, from ${printByteSize(least)}` : '';
  const upTo = most === Number.POSITIVE_INFINITY ? '' : `, up to ${printByteSize(most)}`;
  return of(
    z
      .string()
      .transform((text) => parseByteSize(text) ?? Number.NaN)
      .refine((bytes) => bytes >= least && bytes <= most),
    parseByteSize(fallback)!,
    `a size with its unit, such as ${fallback}${from}${upTo}`,
    printByteSize,
  );
}

/** Returns the schema of texts, as a list or separated by commas. */
export function texts() {
  return z.union([z.array(z.string()), z.string().transform(splitList)]);
}

/**
 * Returns a setting for texts, as a list or separated by commas; empty unless set, which means none of them.
 * `what` names them, such as "tool names".
 */
export function list(what: string): Setting<readonly string[]> {
  const separated = z.string().transform((text) => splitList(text).filter(Boolean));
  return of<readonly string[]>(
    z.union([z.array(z.string().min(1)), separated]),
    [],
    `a list of ${what} (in an environment variable: separated by commas)`,
  );
}

/**
 * Returns a setting for a list that admits only its entries. Unset, it admits everything; an empty list is refused,
 * because it would silently do the same.
 */
export function restriction(what: string): Setting<readonly string[]> {
  return { ...list(what), readsEmpty: true, isRestriction: true };
}

/**
 * The characters that an `Authorization: Bearer` header can carry:
 * https://www.rfc-editor.org/rfc/rfc6750#section-2.1
 */
const BEARER_TOKEN = /^[A-Za-z0-9\-._~+/]+=*$/;

/** The same with a name in front. No token has a colon. */
const NAMED_TOKEN = /^([a-z][a-z0-9-]*:)?[A-Za-z0-9\-._~+/]+=*$/;

/**
 * Returns a setting for the bearer tokens that a service accepts, as a list or separated by commas; empty
 * unless set.
 *
 * An empty list or text is refused: if it counted as not set, it would silently open the service. With `areNamed`, a
 * token may stand behind its name and a colon.
 */
export function bearerTokens({ areNamed = false } = {}): Setting<readonly string[]> {
  const form = areNamed ? NAMED_TOKEN : BEARER_TOKEN;
  const tokens = of<readonly string[]>(
    texts().refine((tokens) => tokens.every((token) => form.test(token))),
    [],
    `a comma-separated list of bearer tokens, none of them empty${areNamed ? ', each as TOKEN or NAME:TOKEN' : ''}; leave it out to need none`,
  );
  return { ...tokens, spentBy: 'no_request', readsEmpty: true, isRestriction: true };
}

/** A file with a list has one text a line. */
function splitList(text: string): string[] {
  return text.split(/[,\n]/).map((one) => one.trim());
}

/** A user and a password would be shown wherever the address is, and no client in this project sends them. */
const isHttpUrl = (text: string) => {
  const url = /^https?:\/\//.test(text) ? URL.parse(text) : null;
  return url !== null && url.username === '' && url.password === '';
};

/**
 * Returns a setting for an http or https address without a query, a user or a password, or empty for none.
 */
export function url(fallback: string): Setting<string> {
  return of(
    z
      .string()
      .refine((text) => text === '' || (isHttpUrl(text) && !text.includes('?') && !text.includes('#'))),
    fallback,
    'an http or https address without query, user and password',
  );
}

/**
 * Returns a setting for a text that a header can carry: visible ASCII. An empty text, which `${NAME:-}` may
 * give, counts as not set.
 */
export function secret(spentBy: SpentBy): Setting<string> {
  return secretText(spentBy, (text) => /^[\x21-\x7e]*$/.test(text), 'a key of visible ASCII characters');
}

/**
 * Returns a setting for a text that is never shown, such as an address that may hold a password; empty unless
 * set.
 */
export function secretText(
  spentBy: SpentBy,
  isAllowed: (text: string) => boolean,
  allowed: string,
): Setting<string> {
  return { ...of(z.string().refine(isAllowed), '', allowed), spentBy };
}

/** Returns a setting for the path of a file, or empty for none. */
export function file(fallback: string): Setting<string> {
  return of(z.string(), fallback, 'the path of a file, or empty for none');
}

/** Returns a setting for the path of a PEM file, which is read again when it changes; undefined unless set. */
export function pemFile(): Setting<string | undefined> {
  return watched(of<string | undefined>(z.string().min(1), undefined, 'the path of a PEM file'));
}

/** Returns a setting for the folder of a server's certificate, which is read again when it changes; undefined unless set. */
export function tlsFolder(): Setting<string | undefined> {
  const folder = of<string | undefined>(z.string().min(1), undefined, 'the path of a folder');
  // Without node:path, which the portable library, which has settings too, cannot count on.
  return watched(folder, (path) => ['tls.crt', 'tls.key'].map((name) => `${path}/${name}`));
}

/** Returns a setting whose file, or the files that follow from it, are taken over when their content changes. */
export function watched<Path>(
  one: Setting<Path>,
  watchedFiles: (path: string) => readonly string[] = (path) => [path],
): Setting<Path> {
  return { ...one, watchedFiles };
}

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
