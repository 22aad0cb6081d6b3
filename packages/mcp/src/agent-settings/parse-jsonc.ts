/** JSON with comments and trailing commas, as several agents write their settings. Throws what `JSON.parse` throws for what is neither. */
export function parseJsonc(text: string): unknown {
  // Strings are kept whole; comments become blanks, so that places in error messages stay right.
  const bare = text
    .replace(/^\ufeff/, '')
    .replace(PIECES, (piece) => (piece.startsWith('"') ? piece : piece.replace(/[^\n]/g, ' ')));
  return JSON.parse(bare.replace(TRAILING_COMMAS, (piece, end) => (end === undefined ? piece : ` ${end}`)));
}

const PIECES = /"(?:[^"\\\n]|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?\*\//g;
const TRAILING_COMMAS = /"(?:[^"\\\n]|\\.)*"|,(\s*[}\]])/g;
