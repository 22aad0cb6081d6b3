/** Only such paths can hold a step upwards, in whatever spelling. */
const SUSPICIOUS = /\.\.|%2e|%25/i;

/** How often a path may have been encoded over again; servers that decode more than that are not known. */
const MOST_DECODINGS = 3;

/**
 * Whether a path leads above its root, by `..` in any spelling that a server may read as such: `%2e%2e`, `..%2f`, backslashes, encoded
 * over again, or with parameters (`..;a=b`). Such a path would leave the base path of its upstream.
 */
export function climbsOut(path: string): boolean {
  if (!SUSPICIOUS.test(path)) return false;
  let spelt = path;
  for (let count = 0; count <= MOST_DECODINGS; count++) {
    if (isAboveRoot(spelt)) return true;
    spelt = spelt.replace(/%(25|2e|2f|5c)/gi, (_, code: string) => DECODED[code.toLowerCase()]!);
  }
  return false;
}

const DECODED: Readonly<Record<string, string>> = { '25': '%', '2e': '.', '2f': '/', '5c': '\\' };

function isAboveRoot(path: string): boolean {
  let depth = 0;
  for (const segment of path.split(/[/\\]/)) {
    const [step] = segment.split(';', 1);
    if (step === '..') depth--;
    else if (step !== '' && step !== '.') depth++;
    if (depth < 0) return true;
  }
  return false;
}
