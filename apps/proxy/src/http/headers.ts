/** Names and values in turn, as Node keeps them, in the sender's order, case and repetition. */
export type RawHeaders = readonly string[];

/** Headers by lower-case name, as Node provides them. */
export type HeadersByName = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Returns the value of a header, repeated values joined; undefined if there is none. */
export function headerValue(headers: RawHeaders, name: string): string | undefined {
  let value: string | undefined;
  for (let at = 0; at < headers.length; at += 2) {
    const here = headers[at]!;
    // Most names differ in length, so lower-casing them is unnecessary.
    if (here.length !== name.length || here.toLowerCase() !== name) continue;
    value = value === undefined ? headers[at + 1]! : `${value}, ${headers[at + 1]!}`;
  }
  return value;
}

/** Returns the lower-case names that `Connection` lists: these headers belong to this connection only. */
export function connectionNames(headers: RawHeaders): ReadonlySet<string> {
  const value = headerValue(headers, 'connection');
  if (value === undefined) return NO_NAMES;
  return new Set(value.split(',').map((name) => name.trim().toLowerCase()));
}

const NO_NAMES: ReadonlySet<string> = new Set();
