/** Whether a glob describes the whole text: `*` stands for any characters, `?` for one. Takes time in both lengths multiplied, at most. */
export function matchesGlob(glob: string, text: string): boolean {
  let [at, place] = [0, 0];
  // Where the last star stood, and how much of the text it took so far.
  let [star, taken] = [-1, 0];
  while (place < text.length) {
    if (glob[at] === '*') {
      [star, taken] = [at, place];
      at++;
    } else if (at < glob.length && (glob[at] === '?' || glob[at] === text[place])) {
      at++;
      place++;
    } else if (star >= 0) {
      taken++;
      [at, place] = [star + 1, taken];
    } else {
      return false;
    }
  }
  while (glob[at] === '*') at++;
  return at === glob.length;
}
