import { describe, expect, test } from 'vitest';
import { addRelatedness } from '../src/bm25/add-relatedness.ts';
import { IndexView } from '../src/bm25/index-view.ts';
import { BM25_DEFAULTS } from '../src/bm25/parameters.ts';
import { readQuery } from '../src/bm25/read-query.ts';
import { scoreDocuments } from '../src/bm25/score-documents.ts';
import { bm25, createBm25 } from '../src/rankers/bm25.ts';
import { tokenize } from '../src/text/tokenize.ts';
import type { ToolDocument } from '../src/tools/tool-document.ts';
import { COMPONENTS, wordVectors } from '../src/word-vectors/word-vectors.ts';

function vectorOf(word: string): Float64Array {
  const sum = new Float64Array(COMPONENTS);
  wordVectors().addTo(sum, wordVectors().find(tokenize(word)[0]!)!, 1);
  return sum;
}

function dot(left: Float64Array, right: Float64Array): number {
  return left.reduce((sum, component, at) => sum + component * right[at]!, 0);
}

function cosine(left: Float64Array, right: Float64Array): number {
  return dot(left, right) / Math.sqrt(dot(left, left) * dot(right, right));
}

function document(name: string, description = ''): ToolDocument {
  return { name, description, parameters: [] };
}

async function found(documents: readonly ToolDocument[], query: string, relatedness = 0.5) {
  const index = createBm25({ ...BM25_DEFAULTS, relatedness }).build(documents);
  const { hits } = await index.rank(query, { limit: 100 });
  return hits.map(({ position, score }) => ({ name: documents[position]!.name, score }));
}

describe('word vectors', () => {
  test.each([
    ['rupee', 'currency', 'river'],
    ['flight', 'airport', 'recipe'],
    ['delete', 'remove', 'weather'],
    ['employee', 'payroll', 'galaxy'],
    ['song', 'music', 'invoice'],
    ['天气', 'weather', 'invoice'],
    ['订单', 'order', 'river'],
    ['下载', '安装', '音乐'],
    ['電話', 'phone', 'recipe'],
  ])('%s is nearer to %s than to %s', (word, near, far) => {
    expect(cosine(vectorOf(word), vectorOf(near))).toBeGreaterThan(
      cosine(vectorOf(word), vectorOf(far)) + 0.2,
    );
  });

  test('are of common words only, by token', () => {
    expect(wordVectors().find('zqxwv')).toBeUndefined();
    expect(wordVectors().find('날씨')).toBeUndefined();
    // The end of one word and the beginning of another.
    expect(wordVectors().find('气订')).toBeUndefined();
    expect(wordVectors().find('employees')).toBeUndefined();
    expect(wordVectors().find(tokenize('employees')[0]!)).toBe(wordVectors().find(tokenize('employee')[0]!));
  });

  test('the last word has a whole vector, so that none is of other words', () => {
    // A table with too few numbers would give NaN for the last words.
    for (const word of ['zoom', 'zebra', 'zone', 'the'])
      if (wordVectors().find(word) !== undefined)
        expect(cosine(vectorOf(word), vectorOf(word))).toBeCloseTo(1, 9);
  });
});

describe('relatedness', () => {
  const tools = [
    document('show_river_level', 'Rate of a stream'),
    document('convert_currency', 'Rate of a currency'),
    document('show_song', 'Rate of a song'),
  ];

  test('raises a tool that means what the query asks, though no further word is in common', async () => {
    const query = 'rate of dollars against pounds';
    // Without it, words alone: kinds and synonyms do not cover these.
    expect((await found(tools, query))[0]!.name).toBe('convert_currency');
    const lead = (hits: { name: string; score: number }[]) =>
      hits.find(({ name }) => name === 'convert_currency')!.score /
      Math.max(...hits.filter(({ name }) => name !== 'convert_currency').map(({ score }) => score));
    expect(lead(await found(tools, query))).toBeGreaterThan(lead(await found(tools, query, 0)));
  });

  test('adds the weight times the best score, the known share, and the nearness above the least', () => {
    const documents = [document('alpha_rate', 'x1'), document('payroll_rate'), document('galaxy_rate')];
    const view = IndexView.of(documents, BM25_DEFAULTS);
    const query = readQuery('employee rate zqxwv', view.vocabulary, BM25_DEFAULTS);
    const scored = scoreDocuments(view, query, BM25_DEFAULTS);
    const before = [...scored.scores.slice(0, 3)];
    addRelatedness(scored, [0, 1, 2], { view, query, parameters: BM25_DEFAULTS });
    const idf = (word: string) => {
      const term = view.vocabulary.find(tokenize(word)[0]!);
      return term === undefined ? view.idfOfNone : view.idf(term);
    };
    const sum = (words: readonly string[], weight: number) => {
      const total = new Float64Array(COMPONENTS);
      for (const word of words)
        vectorOf(word).forEach((component, at) => {
          total[at]! += weight * idf(word) * component;
        });
      return total;
    };
    const asked = sum(['employee', 'rate'], 1);
    const known = (idf('employee') + idf('rate')) / (idf('employee') + idf('rate') + idf('zqxwv'));
    const nearness = [
      ['alpha', 'rate'],
      ['payroll', 'rate'],
      ['galaxy', 'rate'],
    ].map((words) => Math.max(0, cosine(asked, sum(words, 2 / 3))));
    const least = Math.min(...nearness);
    nearness.forEach((near, at) => {
      const gain = BM25_DEFAULTS.relatedness * Math.max(...before) * known * (near - least);
      expect(scored.scores[at]).toBeCloseTo(before[at]! + gain, 5);
    });
    expect(new Set(nearness.map((near) => near.toFixed(3))).size).toBe(3);
  });

  test('takes the mean of the whole query and the nearest of its sentences', () => {
    const documents = [document('galaxy_note'), document('payroll_note')];
    const view = IndexView.of(documents, BM25_DEFAULTS);
    const gapOf = (text: string) => {
      const query = readQuery(text, view.vocabulary, BM25_DEFAULTS);
      const scored = scoreDocuments(view, query, BM25_DEFAULTS);
      scored.scores.fill(1, 0, 2);
      addRelatedness(scored, [0, 1], { view, query, parameters: BM25_DEFAULTS });
      return scored.scores[1]! - scored.scores[0]!;
    };
    const stars = 'note stars planets moons telescopes';
    const wages = 'note wages of employees';
    const together = gapOf(`${stars} ${wages}`);
    expect(gapOf(wages)).toBeGreaterThan(0);
    expect(gapOf(stars)).toBeLessThan(0);
    expect(together).toBeLessThan(0);
    // By its own sentence, the second need counts nearly as much as the first.
    expect(gapOf(`${stars}. ${wages}.`)).toBeGreaterThan(together);
    // A sentence of fewer than three words says nothing by itself.
    expect(gapOf(`${stars}. Employees!`)).toBeLessThan(0);
  });

  test('changes nothing where most of the query has no vectors', async () => {
    for (const query of ['rate zqxwv vwxqz', '환율 조회 rate', 'курс валюты rate'])
      expect(await found(tools, query)).toEqual(await found(tools, query, 0));
  });

  test('raises a Chinese tool that shares no further word', async () => {
    const chinese = [
      document('t1', '查询歌曲的信息'),
      document('t2', '查询天气的信息'),
      document('t3', '查询股票的信息'),
    ];
    const names = (hits: { name: string }[]) => hits.map(({ name }) => name);
    expect(names(await found(chinese, '查询温度', 0))[0]).not.toBe('t2');
    expect(names(await found(chinese, '查询温度'))[0]).toBe('t2');
  });

  test('leaves pairs of Chinese characters that are no word out of the known share', async () => {
    const chinese = [document('t1', '查询歌曲'), document('t2', '查询天气')];
    const gain = async (query: string) => {
      const [plain, related] = [await found(chinese, query, 0), await found(chinese, query)];
      return (related[0]!.score - plain[0]!.score) / plain[0]!.score;
    };
    // The end of one word and the beginning of the next.
    expect(wordVectors().find('询音')).toBeUndefined();
    expect(await gain('查询音乐')).toBeGreaterThan(0.01);
    expect(await gain('查询音乐')).toBeCloseTo(await gain('查询 音乐'), 5);
  });

  test('gives tools of equal texts equal scores, beyond the best 50 as well', async () => {
    const many = Array.from({ length: 120 }, () => document('convert_currency', 'Rate of a currency'));
    expect(new Set((await found(many, 'rate of dollars')).map(({ score }) => score)).size).toBe(1);
  });

  test('keeps the order of the others, whatever is left out', async () => {
    const documents = [...tools, document('currency_rate'), document('rate_hotel', 'Rate of a hotel room')];
    const index = bm25.build(documents);
    const query = 'rate of dollars against pounds';
    const whole = (await index.rank(query, { limit: 10 })).hits.map(({ position }) => position);
    const excluded = Uint8Array.from(documents, (_, at) => (at === whole[1] ? 1 : 0));
    const left = (await index.rank(query, { limit: 10, excluded })).hits.map(({ position }) => position);
    expect(left).toEqual(whole.filter((position) => position !== whole[1]));
  });
});
