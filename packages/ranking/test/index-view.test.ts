import { expect, test } from 'vitest';
import { IndexView } from '../src/bm25/index-view.ts';
import { BM25_DEFAULTS } from '../src/bm25/parameters.ts';

const documentOf = (description: string) => ({ name: '', description, parameters: [] });
const viewOf = (texts: readonly string[]) => IndexView.of(texts.map(documentOf), BM25_DEFAULTS);

/** Idf of the terms that documents contain, from the rarest on. */
const idfs = (view: IndexView, terms: readonly string[]) =>
  terms.map((term) => view.idf(view.vocabulary.find(term)!)).sort((left, right) => right - left);

test.each([
  ['one term', ['mail'], ['mail']],
  ['an odd number of terms', ['mail', 'mail file', 'mail file note'], ['mail', 'file', 'note']],
  ['an even number', ['mail', 'mail file', 'mail file note', 'cake'], ['mail', 'file', 'note', 'cake']],
])('the median idf of %s is that of the term in the middle', (_, texts, terms) => {
  const view = viewOf(texts);
  expect(view.medianIdf).toBe(idfs(view, terms)[terms.length >> 1]);
});

test('the median idf follows changes, and leaves out the terms of removed documents', () => {
  const before = viewOf(['mail', 'mail file', 'mail file note']);
  const after = before.with(
    { removed: [2], added: ['mail', 'mail', 'mail file'].map(documentOf) },
    BM25_DEFAULTS,
  );
  expect(after.vocabulary.find('note')).toBeUndefined();
  expect(after.medianIdf).toBe(idfs(after, ['mail', 'file'])[1]);
  expect(before.medianIdf).toBe(idfs(before, ['mail', 'file', 'note'])[1]);
});

test('without any term, the median idf is 0', () => {
  expect(viewOf([]).medianIdf).toBe(0);
  expect(viewOf(['', '']).medianIdf).toBe(0);
});
