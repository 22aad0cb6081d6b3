import { describe, expect, test } from 'vitest';
import { IndexView } from '../src/bm25/index-view.ts';
import { BM25_DEFAULTS } from '../src/bm25/parameters.ts';
import { forgetOldWords, readWords, tokenOf } from '../src/bm25/query-words.ts';
import { TermTable } from '../src/bm25/terms.ts';
import { hashText } from '../src/text/hash-text.ts';
import { endsAfterStemming, stem } from '../src/text/stem.ts';
import packed from '../src/word-vectors/word-vectors.json' with { type: 'json' };
import { COMPONENTS, wordVectors } from '../src/word-vectors/word-vectors.ts';

const TOKENS = packed.tokens.split(' ').filter((token) => /^[a-z]+$/.test(token));

test('two words with the same hash are two words', () => {
  expect(hashText('Aa')).toBe(hashText('BB'));
  const words = readWords('Aa BB Aa');
  expect(words.map(({ text }) => text)).toEqual(['Aa', 'BB', 'Aa']);
  expect(words.map(({ parts }) => parts[0]!.text)).toEqual(['aa', 'bb', 'aa']);
});

test('a word is read once, wherever it stands', () => {
  const [first] = readWords('Show repositories');
  expect(readWords('please, Show me')[1]).toBe(first);
});

test('words with the same stem have one token, however long ago they occurred', () => {
  const others = (from: number) => {
    for (let at = 0; at < 6_000; at++) readWords(`word${from + at}`);
    forgetOldWords();
  };
  const [first] = readWords('repositories');
  others(0);
  expect(readWords('repository')[0]!.parts[0]).toBe(first!.parts[0]);
  expect(readWords('repositories')[0]).toBe(first);
  others(6_000);
  others(12_000);
  const [again] = readWords('repositories');
  expect(again).not.toBe(first);
  expect(again!.parts[0]).toBe(tokenOf('repositori'));
});

describe('the end of a stemmed word', () => {
  const isExpected = (first: string, second: string) => {
    const ends = endsAfterStemming(second);
    return ends?.some((end) => first + end === stem(first + second)) ?? true;
  };

  test('is among those expected for its second part', () => {
    const unexpected = TOKENS.filter(
      (token, at) => !isExpected(TOKENS[(at * 7_919) % TOKENS.length]!, token),
    );
    expect(unexpected).toEqual([]);
    // Worth the effort: few words may belong to an ending as a whole.
    const unknown = TOKENS.filter((token) => endsAfterStemming(token) === undefined);
    expect(unknown.length).toBeLessThan(TOKENS.length / 50);
  });

  test('is among those expected where an ending begins in the first part', () => {
    const endings =
      'sses ies ss s eed ed ing y ational tional enci anci izer bli alli entli eli ousli ization ation ator alism iveness fulness ousness aliti iviti biliti logi icate ative alize iciti ical ful ness al ance ence er ic able ible ant ement ment ent ou ism ate iti ous ive ize ion sion tion e ll';
    const all = endings.split(' ');
    const joined = all.flatMap((one) => ['', ...all].map((other) => `informatt${one}${other}`));
    const unexpected = joined.filter((word) =>
      Array.from(word).some((_, cut) => cut > 0 && !isExpected(word.slice(0, cut), word.slice(cut))),
    );
    expect(unexpected).toEqual([]);
  });
});

test('a joined word that a tool has is not passed over', () => {
  const vocabularyOf = (name: string) =>
    IndexView.of([{ name, description: '', parameters: [] }], BM25_DEFAULTS).vocabulary;
  const pull = tokenOf('pull');
  expect(pull.mayJoin(tokenOf('request'), vocabularyOf('pullrequest'))).toBe(true);
  expect(pull.mayJoin(tokenOf('button'), vocabularyOf('issues'))).toBe(false);
  expect(tokenOf('data').mayJoin(tokenOf('base'), vocabularyOf('databases'))).toBe(true);
  expect(tokenOf('data').mayJoin(tokenOf('base'), vocabularyOf('issues'))).toBe(false);
  // Short forms: ci.
  expect(tokenOf('continu').mayJoin(tokenOf('integr'), vocabularyOf('issues'))).toBe(true);
});

test('a table may have all of its terms, and few others', () => {
  const table = new TermTable();
  for (const token of TOKENS.slice(0, 2_000)) {
    table.add(token);
    expect(table.mayHave(hashText(token))).toBe(true);
  }
  expect(TOKENS.slice(0, 2_000).every((token) => table.mayHave(hashText(token)))).toBe(true);
  const others = TOKENS.slice(2_000).filter((token) => table.mayHave(hashText(token)));
  expect(others.length).toBeLessThan(TOKENS.length / 10);
});

test('vectors added together give the same sum as one by one', () => {
  const vectors = [5, 70, 9_000, 12, 345, 6_000, 31];
  const weights = [0.4 * 3.1, 2.7, 0.1, 5.5, 1 / 3, 4.2, 0.7];
  const [together, oneByOne] = [new Float64Array(COMPONENTS), new Float64Array(COMPONENTS)];
  wordVectors().addAll(together, vectors, weights, vectors.length);
  for (const [at, vector] of vectors.entries()) wordVectors().addTo(oneByOne, vector, weights[at]!);
  expect(together).toEqual(oneByOne);
});
