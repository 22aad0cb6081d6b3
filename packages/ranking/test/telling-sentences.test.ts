import { describe, expect, it } from 'vitest';
import { buildCatalogue } from '../src/catalogue/catalogue.ts';
import { type MeaningSource, nearnessTo, toInt8Vector } from '../src/meaning/meaning-source.ts';
import { noPause } from '../src/ranker.ts';
import { selectTools } from '../src/search/select-tools.ts';
import { tellingSentences } from '../src/text/tokenize.ts';

describe('the telling sentences of a query', () => {
  it('are those that say what is asked for, where there are three', () => {
    const [room, menu, route] = ['Book a meeting room.', 'Order the lunch menu!', 'Plan a route downtown'];
    expect(tellingSentences(`Hello! ${room} ${menu} Is that possible?\n${route}`)).toEqual([
      room,
      menu,
      route,
    ]);
    expect(tellingSentences('预订会议室。订购午餐菜单！规划去市中心的路线')).toHaveLength(3);
  });

  it('are none for a query of one need, which others explain', () => {
    expect(tellingSentences('')).toEqual([]);
    expect(tellingSentences('Book a meeting room')).toEqual([]);
    expect(tellingSentences('My sister visits Berlin tomorrow. Book a hotel room. Thanks!')).toEqual([]);
  });

  it('are the first seven of many, so that a text costs eight vectors at most', () => {
    const many = Array.from({ length: 30 }, (_, at) => `Send letter number${at} today.`);
    expect(tellingSentences(many.join(' '))).toEqual(many.slice(0, 7));
  });
});

const vector = (...numbers: number[]) => toInt8Vector(numbers)!;
const WHOLE = vector(1, 1, 1);
const SENTENCES = [vector(1, 0, 0), vector(0, 1, 0), vector(0, 0, 1)];
/** A little of everything, nearest to the whole; one thing mostly; and that thing alone. */
const [SOME, ONE, ALONE] = [vector(1, 1, 0.4), vector(1, 0.3, 0.3), vector(1, 0, 0)];

describe('the nearness of a tool', () => {
  it('is its cosine with the query, and with the nearest sentence by half', () => {
    const byWhole = nearnessTo({ query: WHOLE });
    expect(byWhole(SOME)).toBeCloseTo(0.943, 2);
    expect(byWhole(ONE)).toBeCloseTo(0.851, 2);
    const bySentences = nearnessTo({ query: WHOLE, sentences: SENTENCES });
    expect(bySentences(SOME)).toBeCloseTo((0.943 + 0.68) / 2, 2);
    expect(bySentences(ONE)).toBeCloseTo((0.851 + 0.921) / 2, 2);
  });

  it('is not known of a tool of another model', () => {
    expect(nearnessTo({ query: WHOLE, sentences: SENTENCES })(vector(1, 0))).toBeUndefined();
  });
});

describe('a search for several things', () => {
  const TOOLS = ['mail_some', 'mail_one', 'alone'].map((name) => ({ name, description: '' }));
  const VECTORS = [SOME, ONE, ALONE];

  async function search(sentences?: MeaningSource): Promise<readonly string[]> {
    const meaning: MeaningSource = {
      vectorsOf: async (_, positions) => ({
        query: WHOLE,
        tools: positions.map((position) => VECTORS[position]),
      }),
      ...sentences,
    };
    const query = { pattern: 'mail', topK: 3, alwaysKeep: [], searchType: 'auto', meaning } as const;
    return (await selectTools(buildCatalogue(TOOLS), query, noPause)).names;
  }

  const withSentences: MeaningSource = {
    vectorsOf: async (_, positions) => ({
      query: WHOLE,
      sentences: SENTENCES,
      tools: positions.map((position) => VECTORS[position]),
    }),
  };

  it('has the tool for one of them before one that has a little to do with all', async () => {
    expect(await search()).toEqual(['mail_some', 'mail_one']);
    expect(await search(withSentences)).toEqual(['mail_one', 'mail_some']);
  });

  it('takes what is near without a common word by its nearest sentence, too', async () => {
    const nearest = async () => [{ position: 2, cosine: 0.577 }];
    const nearer: MeaningSource = { ...withSentences, nearest };
    // (0.577 + 1) / 2 is less than the 0.886 of the best: not let in.
    expect(await search(nearer)).toEqual(['mail_one', 'mail_some']);
    const [farther, whole] = [vector(0.2, 1, 1), vector(1, 0.4, 0.4)];
    const first: MeaningSource = {
      nearest,
      vectorsOf: async (_, positions) => ({
        query: whole,
        sentences: SENTENCES,
        tools: positions.map((position) => [farther, farther, ALONE][position]),
      }),
    };
    expect(await search(first)).toContain('alone');
  });
});
