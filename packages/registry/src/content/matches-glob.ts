/** Whether a glob matches the whole text: `*` stands for any characters, `?` for one. Takes O(glob × text) time. */
export function matchesGlob(glob: string, text: string): boolean {
  let [at, place] = [0, 0];
  // The position of the last star, and the end of the text that it covers so far.
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
