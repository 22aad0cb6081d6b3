/** A text in lines of at most `width` characters, broken between words where that is possible; all but the first begin with `indent`. */
export function wrap(text: string, width: number, indent = ''): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ').flatMap((word) => cutWord(word, width - indent.length))) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = indent + word;
    } else {
      line = line === '' ? word : `${line} ${word}`;
    }
  }
  return [...lines, line];
}

/** A word that is longer than a line, such as the name of a tool, in parts that are not. */
function cutWord(word: string, width: number): string[] {
  if (word.length <= width) return [word];
  return [word.slice(0, width), ...cutWord(word.slice(width), width)];
}
