import { expect, test } from 'vitest';
import { buildCatalogueOf, LiveCatalogue } from '../src/catalogue/catalogue.ts';

const NAMES = ['create_chart', 'document_search', 'send_mail', 'list_files', 'get_weather', 'open_door'];
const documents = NAMES.map((name) => ({ name, description: '', parameters: [] }));
const positions = documents.map((_, position) => position);
const cover = (query: string) => buildCatalogueOf(documents).index.cover!(query, positions);

test('a tool whose name is the query is covered in full, another one not at all', () => {
  expect(cover('send mail')).toEqual(new Map([[2, 1]]));
});

test('what no tool has counts in the query: the more of it, the less is covered', () => {
  const [one, two] = ['send mail quickly', 'send mail quickly tomorrow'].map((query) => cover(query).get(2)!);
  expect(one).toBeLessThan(1);
  expect(two).toBeLessThan(one!);
  expect(two).toBeGreaterThan(0);
});

test('of several sentences the one counts that fits best', () => {
  expect(cover('Thanks for everything you did so far! Send mail.').get(2)).toBe(1);
});

test('of two tools the one is covered more that has more of the words', () => {
  const covered = buildCatalogueOf([
    { name: 'send_mail', description: '', parameters: [] },
    { name: 'send_fax', description: '', parameters: [] },
  ]).index.cover!('send mail', [0, 1]);
  expect(covered.get(0)).toBe(1);
  expect(covered.get(1)).toBeLessThan(0.5);
});

test('words that only begin alike cover something, where nothing else is known', () => {
  expect(cover('weath').get(4)).toBeGreaterThan(0);
  expect(cover('xyzzy')).toEqual(new Map());
});

test('a catalogue that has changed covers as one that was built at once', () => {
  const live = new LiveCatalogue();
  live.apply(documents.map((document) => ({ key: document.name, document })));
  live.snapshot();
  live.apply([{ key: 'open_door', document: undefined }]);
  const { catalogue, keyAt } = live.snapshot();
  const found = [...catalogue.index.cover!('mail the chart', positions)].map(([at, share]) => [
    keyAt(at),
    share,
  ]);
  const anew = buildCatalogueOf(documents.slice(0, -1)).index.cover!('mail the chart', positions);
  const expected = [...anew].map(([at, share]) => [NAMES[at], share]);
  expect(new Map(found as [string, number][])).toEqual(new Map(expected as [string, number][]));
});
