import { createRandom, generateQueries, generateTools, toSearchTool } from '@winnow/testkit';
import { describe, expect, test } from 'vitest';
import { buildCatalogueOf } from '../src/catalogue/catalogue.ts';
import { Collection, type SampledDocument } from '../src/collection/collection.ts';
import { termsOf } from '../src/collection/document-terms.ts';
import { noPause } from '../src/pause.ts';
import { findTools } from '../src/search/find-tools.ts';
import { toDocument } from '../src/tools/to-document.ts';
import type { ToolDocument } from '../src/tools/tool-document.ts';

const generated = generateTools({ count: 250, seed: 61 });
const documents = generated.map((tool) => toDocument(toSearchTool(tool, 'mcp')));
const queries = [
  ...generateQueries(generated, { count: 10, seed: 62 }),
  'Create an invoice. Then send it by mail.',
  'delet a fiel',
];

function sampled(document: ToolDocument): SampledDocument {
  return { names: [document.name, ...(document.aliases ?? [])], read: () => document };
}

describe('a collection', () => {
  test('gives a sample the scores that its documents have among all of them', async () => {
    const collection = new Collection();
    const counted = collection.add(documents);
    const whole = buildCatalogueOf(documents);
    for (const pattern of queries) {
      const query = { pattern, searchType: 'keyword', limit: 250 } as const;
      const { hits } = await findTools(whole, query, noPause);
      // The best ones, so that what is measured among these is measured among the same ones; in order, as ties are.
      const positions = hits
        .slice(0, 60)
        .map(({ position }) => position)
        .sort((a, b) => a - b);
      // Read again all of them, none, and every other one.
      for (const isAtHand of [() => false, () => true, (position: number) => position % 2 === 0]) {
        const sample = collection.view().sample(
          positions.map((position) => ({
            ...sampled(documents[position]!),
            ...(isAtHand(position) && { counted: counted[position] }),
          })),
        );
        const found = await findTools(sample, query, noPause);
        expect(found.hits.map((hit) => ({ ...hit, position: positions[hit.position] }))).toEqual(
          hits.slice(0, positions.length),
        );
      }
    }
  });

  test('takes what documents came to for what it is, though terms are numbered again', async () => {
    const collection = new Collection();
    const passing = collection.add(
      Array.from({ length: 600 }, (_, n) => ({
        name: `passing_${n}`,
        description: Array.from({ length: 40 }, (_, word) => `w${n}x${word}`).join(' '),
        parameters: [],
      })),
    );
    const counted = collection.add(documents);
    const before = collection.view();
    collection.remove(passing);
    const query = { pattern: queries[0]!, searchType: 'keyword', limit: 400 } as const;
    const fresh = new Collection();
    fresh.add(documents);
    const expected = await findTools(fresh.view().sample(documents.map(sampled)), query, noPause);
    const atHand = documents.map((document, at) => ({ ...sampled(document), counted: counted[at] }));
    expect(await findTools(collection.view().sample(atHand), query, noPause)).toEqual(expected);
    const early = await findTools(before.sample(atHand), query, noPause);
    expect(early).toEqual(await findTools(before.sample(documents.map(sampled)), query, noPause));
    expect(early.totalMatches).toBe(expected.totalMatches);
  });

  test('is the same whatever came and went before', () => {
    const random = createRandom(63);
    const straight = new Collection();
    straight.add(documents);
    const winding = new Collection();
    const [first, rest] = [documents.slice(0, 150), documents.slice(150)];
    const gone = generateTools({ count: 100, seed: 64 }).map((tool) => toDocument(toSearchTool(tool, 'mcp')));
    const counted = winding.add(gone);
    winding.add(random.sample(first, first.length));
    winding.remove(counted.slice(0, 60));
    winding.add(rest);
    winding.remove(counted.slice(60));
    expect(winding.size).toBe(straight.size);
    for (const query of queries) expect(winding.view().read(query)).toEqual(straight.view().read(query));
  });

  test('forgets the terms of documents that are gone, and a view that was taken before keeps its own', () => {
    const collection = new Collection();
    collection.add(documents);
    const before = collection.view();
    const read = before.read('create an invoice');
    const made = (round: number, n: number) => ({
      name: `tool_${round}_${n}`,
      description: Array.from({ length: 40 }, (_, word) => `w${round}x${n}x${word}`).join(' '),
      parameters: [],
    });
    for (let round = 0; round < 4; round++) {
      const passing = Array.from({ length: 200 }, (_, n) => made(round, n));
      collection.remove(collection.add(passing));
    }
    // 32,000 terms came and went.
    expect(collection.bytes).toBeLessThan(1_000_000);
    expect(collection.view().read('create an invoice')).toEqual(read);
    expect(before.read('create an invoice')).toEqual(read);
  });

  test('reads a query by what there is: rarest first, and loosely where nothing is known', () => {
    const collection = new Collection();
    collection.add([
      { name: 'send_mail', description: 'Sends a mail.', parameters: [] },
      { name: 'send_letter', description: 'Sends a letter.', parameters: [] },
    ]);
    const view = collection.view();
    const termsIn = (concepts: ReturnType<typeof view.read>) =>
      concepts.map(({ terms }) => terms.map(({ term }) => term));
    expect(termsIn(view.read('a letter that the moon should send'))).toEqual([['letter'], ['send']]);
    const documentsOf = view.read('a letter to send').map(({ terms }) => terms[0]?.documents);
    expect(documentsOf).toEqual([1, 2]);
    expect(view.read('leter')[0]?.terms[0]?.term).toBe('letter');
    expect(termsIn(view.read('moon'))).toEqual([]);
    expect(termsIn(view.readLoosely('let'))).toEqual([['letter']]);
  });
});

test('terms of documents are in the field that counts most', () => {
  const [terms] = termsOf([
    {
      name: 'send_mail',
      description: 'Sends a letter. Costs a stamp.',
      parameters: [{ name: 'receiver', text: 'Who gets the mail' }],
    },
  ]);
  expect(Object.fromEntries(terms!.map(({ term, place }) => [term, place]))).toMatchObject({
    send: 'name',
    mail: 'name',
    sendmail: 'name',
    letter: 'lead',
    stamp: 'description',
    receiv: 'parameters',
  });
});
