/** Names and values in turn, as Node keeps them: order, case and repetition are the sender's. */
export type RawHeaders = readonly string[];

/** Headers by their lower-case name, as Node gives them. */
export type HeadersByName = Readonly<Record<string, string | readonly string[] | undefined>>;

/** The value of a header, repeated ones joined; undefined when there is none. */
export function headerValue(headers: RawHeaders, name: string): string | undefined {
  let value: string | undefined;
  for (let at = 0; at < headers.length; at += 2) {
    const here = headers[at]!;
    // Most names differ in length, and need not be lower-cased.
    if (here.length !== name.length || here.toLowerCase() !== name) continue;
    value = value === undefined ? headers[at + 1]! : `${value}, ${headers[at + 1]!}`;
  }
  return value;
}

/** Lower-case names of the headers that `Connection` names: they belong to this connection only. */
export function connectionNames(headers: RawHeaders): ReadonlySet<string> {
  const value = headerValue(headers, 'connection');
  if (value === undefined) return NO_NAMES;
  return new Set(value.split(',').map((name) => name.trim().toLowerCase()));
}

const NO_NAMES: ReadonlySet<string> = new Set();
