import { describe, expect, test } from 'vitest';
import { IndexView } from '../src/bm25/index-view.ts';
import { BM25_DEFAULTS } from '../src/bm25/parameters.ts';
import { readLoosely, readQuery } from '../src/bm25/read-query.ts';
import { TermTable } from '../src/bm25/terms.ts';
import { Vocabulary } from '../src/bm25/vocabulary.ts';
import { bm25 } from '../src/rankers/bm25.ts';
import type { ToolDocument } from '../src/tools/tool-document.ts';

const document = (
  name: string,
  description = '',
  parameters: ToolDocument['parameters'] = [],
): ToolDocument => ({
  name,
  description,
  parameters,
});

/** Names in the order in which a query finds them. */
async function found(query: string, documents: readonly ToolDocument[]): Promise<string[]> {
  const { hits } = await bm25.build(documents).rank(query, { limit: 10 });
  return hits.map((hit) => documents[hit.position]!.name);
}

describe('order', () => {
  test('a word in the name counts more than in the description, and that more than in a parameter', async () => {
    const documents = [
      document('alpha', 'Does one thing', [{ name: 'invoice', text: '' }]),
      document('beta', 'Does the invoice thing'),
      document('invoice', 'Does that thing'),
    ];
    expect(await found('invoice', documents)).toEqual(['invoice', 'beta', 'alpha']);
  });

  test('the text of a parameter counts as its name where it is not in Latin letters', async () => {
    const score = async (word: string, parameter: { name: string; text: string }) => {
      const documents = [document('alpha', 'Does one thing', [parameter]), document('beta', 'Does another')];
      return (await bm25.build(documents).rank(word, { limit: 1 })).hits[0]!.score;
    };
    const byText = (word: string) => score(word, { name: '', text: word });
    const byName = (word: string) => score(word, { name: word, text: '' });
    for (const word of ['номер', 'αριθμός', 'رقم', '号码', '번호'])
      expect(await byText(word), word).toBe(await byName(word));
    for (const word of ['number', 'número'])
      expect(await byText(word), word).toBeLessThan(await byName(word));
  });

  test('a pair of Chinese characters counts less than each of the two', () => {
    const { vocabulary } = IndexView.of([document('a', '天气'), document('b', '会议')], BM25_DEFAULTS);
    const { concepts } = readQuery('天气', vocabulary, BM25_DEFAULTS);
    const weights = concepts.map(({ token, terms }) => [token.text, terms[0]!.weight]);
    expect(weights).toEqual([
      ['天气', BM25_DEFAULTS.compound],
      ['天', 1],
      ['气', 1],
    ]);
  });

  test('no word is weak in a query that is read loosely', () => {
    const { vocabulary } = IndexView.of([document('knowledge'), document('other')], BM25_DEFAULTS);
    const read = readQuery('know implications', vocabulary, BM25_DEFAULTS);
    expect(read.concepts.map(({ isWeak }) => isWeak)).toEqual([true, false]);
    const loosely = readLoosely(read, vocabulary).concepts;
    expect(loosely.map(({ terms, isWeak }) => [terms.length, isWeak])).toEqual([
      [1, false],
      [0, false],
    ]);
  });

  test('the first sentence counts more than the rest', async () => {
    const documents = [
      document('late', 'Handles things. Sends mail.'),
      document('early', 'Sends mail. Handles things.'),
    ];
    expect(await found('mail', documents)).toEqual(['early', 'late']);
  });

  test('a name that is covered in full comes before one that says more', async () => {
    const documents = [
      document('create_branch_protection'),
      document('create_branch'),
      document('delete_tag'),
    ];
    expect(await found('create a branch', documents)).toEqual(['create_branch', 'create_branch_protection']);
  });

  test('two words of the query count more than one of them twice', async () => {
    const documents = [
      document('one', 'weather weather weather report'),
      document('two', 'weather for hikers report'),
      document('three', 'hikers only, in any season'),
    ];
    expect((await found('weather hikers', documents))[0]).toBe('two');
  });

  test('a name like MongoDB is one word, found joined, apart or by its parts', async () => {
    const documents = [
      document('mongodb_query', 'Runs a query'),
      document('mongo_export', 'Writes a dump'),
      document('db_mongo_size', 'Size of a mongo db'),
      document('cluster_restart', 'Restarts a cluster of nodes'),
    ];
    expect((await found('MongoDB query', documents))[0]).toBe('mongodb_query');
    expect(new Set(await found('MongoDB', documents))).toEqual(
      new Set(['mongodb_query', 'mongo_export', 'db_mongo_size']),
    );
    // Two parts in a tool must not outweigh the word that says what to do.
    const both = [
      document('mongo_db_settings', 'Settings of Mongo'),
      document('restart', 'Restarts servers'),
      document('x'),
    ];
    expect((await found('restart MongoDB', both))[0]).toBe('restart');
  });

  test('a verb of most tools that read counts less than any other word', async () => {
    const documents = [
      document('check_page', 'Checks a page'),
      document('write', 'Writes backups'),
      document('x'),
      document('y'),
    ];
    expect((await found('check backups', documents))[0]).toBe('write');
  });

  test('in a long request, a tool for its subject precedes tools that share many words by chance', async () => {
    const chance = 'monday morning lunch harbour breakfast colleagues garden winter summer village';
    const documents = [
      document('note', `Text. ${chance}`),
      document('cable_map', 'Draws submarine cables'),
      document('first_log', chance),
      document('second_log', chance),
    ];
    const unknown =
      'neighbour kitten politics holiday painting marble teapot blanket cupboard orchard lantern pebble';
    expect((await found(`${chance} ${unknown} cable map`, documents))[0]).toBe('cable_map');
  });

  test('each sentence of a request finds its tool', async () => {
    const documents = [
      document('send_email', 'Sends an email to someone'),
      document('get_weather', 'Current weather of a place'),
      document('list_files', 'Lists files of a folder'),
    ];
    const names = await found('What is the weather like in Rome? Then send an email to my boss.', documents);
    expect(names.slice(0, 2).sort()).toEqual(['get_weather', 'send_email']);
  });

  test('equal tools keep their order', async () => {
    const documents = ['c', 'a', 'b'].map((name) => document(`${name}x9`, 'Sends a letter'));
    expect(await found('letter', documents)).toEqual(['cx9', 'ax9', 'bx9']);
  });

  test('turning on and turning off are not the same', async () => {
    const documents = [document('turn_on_light'), document('turn_off_light')];
    expect((await found('turn off the light', documents))[0]).toBe('turn_off_light');
    expect((await found('turn on the light', documents))[0]).toBe('turn_on_light');
  });
});

describe('what stands for a word', () => {
  const documents = [
    document('create_pull_request', 'Opens a request to merge'),
    document('scrape_webpage', 'Reads a webpage'),
    document('repository_search', 'Finds repositories'),
    document('film_list', 'All films that run today'),
    document('convert_currency', 'Converts an amount'),
  ];

  test.each([
    ['an abbreviation', 'new PR', 'create_pull_request'],
    ['a long form in several words', 'virtual machine', 'vm_start'],
    ['a compound in two words', 'web page', 'scrape_webpage'],
    ['a synonym', 'movies', 'film_list'],
    ['what a thing is a kind of', 'five rupees', 'convert_currency'],
    ['a lost letter', 'repositry', 'repository_search'],
    ['swapped letters', 'reqeust', 'create_pull_request'],
    ['the beginning of a word, when nothing else matches', 'repos', 'repository_search'],
    ['letters alike, when nothing else matches', 'scraper2000', 'scrape_webpage'],
  ])('%s', async (_, query, name) => {
    expect((await found(query, [...documents, document('vm_start')]))[0]).toBe(name);
  });

  test('what several words of a query stand for counts once, where it counts most', async () => {
    const index = bm25.build([document('remove_label', 'Takes it off'), ...documents]);
    const scoreOf = async (query: string) => (await index.rank(query, { limit: 1 })).hits[0]!.score;
    // Both are synonyms of "remove": the second one adds nothing.
    expect(await scoreOf('delete erase')).toBeLessThanOrEqual(await scoreOf('delete'));
    // So does a synonym next to the word itself, on either side.
    expect(await scoreOf('remove delete')).toBeLessThanOrEqual(await scoreOf('remove'));
    expect(await scoreOf('delete remove')).toBe(await scoreOf('remove delete'));
  });

  test('a kind does not stand for the things that are of it', async () => {
    expect(await found('currency', [document('count_rupees'), document('exchange')])).toEqual([]);
  });

  test('the best of what stands for a word counts in full, and the rest a little', async () => {
    const both = document('a1', 'Removes and erases');
    const [one, other] = [document('b1', 'Removes and waits'), document('c1', 'Waits and erases')];
    const { hits } = await bm25.build([both, one, other]).rank('erase', { limit: 3 });
    expect(hits.map(({ position }) => position)).toEqual([0, 2, 1]);
    const [ofBoth, ofOne, ofOther] = hits.map(({ score }) => score) as [number, number, number];
    expect(ofBoth).toBeLessThan(ofOne + ofOther);
  });

  test('words that nearly every request has say less than others', async () => {
    const documents = [document('a1', 'A thing to feed'), document('b1', 'A parrot to feed')];
    expect(await found('the thing with parrots', documents)).toEqual(['b1', 'a1']);
  });

  test('a name inside a sentence is not a misspelling', async () => {
    expect(await found('what did Fillm pull', documents)).toEqual(['create_pull_request']);
    expect(await found('what did fillm pull', documents)).toContain('film_list');
  });

  test('gibberish finds nothing', async () => {
    expect(await found('xqzzt wvkjh', documents)).toEqual([]);
  });
});

describe('a hit', () => {
  test('says where the query occurs in the tool', async () => {
    const index = bm25.build([
      document('send_mail', 'Delivers letters', [{ name: 'to', text: 'recipient' }]),
    ]);
    const fields = async (query: string) => (await index.rank(query, { limit: 1 })).hits[0]?.matchedOn;
    expect(await fields('mail')).toEqual(['name']);
    expect(await fields('letters')).toEqual(['description']);
    expect(await fields('recipient')).toEqual(['parameters']);
    expect(await fields('mail letters recipient')).toEqual(['name', 'description', 'parameters']);
  });
});

const vocabularyOf = (terms: string[]): Vocabulary => {
  const table = new TermTable();
  for (const term of terms) table.add(term);
  return new Vocabulary(table, { array: new Uint32Array(terms.length).fill(1) });
};

describe('vocabulary', () => {
  const vocabulary = vocabularyOf(['branch', 'branchless', 'commit', 'omit', 'repository']);

  test('finds the nearest terms only', () => {
    expect(vocabulary.nearest('comit')).toEqual([{ term: 2, distance: 1 }]);
    expect(vocabulary.nearest('xyz')).toEqual([]);
  });

  test('does not correct words with digits or of three letters', () => {
    expect(vocabulary.nearest('commit2')).toEqual([]);
    expect(vocabulary.nearest('omi')).toEqual([]);
  });
});

describe('a text with few known words', () => {
  const letters = 'abcdefghijklmnopqrstuvwxyz';
  const noise = Array.from({ length: 16 }, (_, at) => `qxzv${letters[at % 26]}${letters[(at * 7) % 26]}jkw`);
  const documents = [document('weather'), document('invoice')];

  test('has its first 16 unknown words corrected, and no more, so that a long one cannot stall others', async () => {
    expect(await found(['invoice', ...noise.slice(0, 15), 'waether'].join(' '), documents)).toContain(
      'weather',
    );
    expect(await found(['invoice', ...noise, 'waether'].join(' '), documents)).toEqual(['invoice']);
  });
});

test('looks for similar terms among those that share enough letter triples, whatever the script', () => {
  const vocabulary = vocabularyOf(['weather', 'whether', 'invoice', 'aaaaaaa', '天気予報図']);
  expect(vocabulary.similar('weatherr').map(({ term }) => term)).toEqual([0]);
  expect(vocabulary.similar('aaaa').map(({ term }) => term)).toEqual([3]);
  expect(vocabulary.similar('天気予報').map(({ term }) => term)).toEqual([4]);
});
