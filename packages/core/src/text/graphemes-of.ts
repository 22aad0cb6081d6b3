let graphemes: Intl.Segmenter | undefined;

/** The characters of a text as its readers see them, in order. What knows them is made when it is first needed: it takes milliseconds. */
export function* graphemesOf(text: string): Iterable<string> {
  graphemes ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  for (const { segment } of graphemes.segment(text)) yield segment;
}
