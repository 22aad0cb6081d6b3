/** Only such paths can contain a `..` step, in any encoding. */
const SUSPICIOUS = /\.\.|%2e|%25/i;

/** Maximum number of repeated encodings to decode; no known server decodes more. */
const MOST_DECODINGS = 3;

/**
 * Whether a path leads above its root by `..` in any form that a server may accept: `%2e%2e`, `..%2f`,
 * backslashes, repeated encodings, or parameters (`..;a=b`). Such a path would leave the upstream's base
 * path.
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
