import { describe, expect, test } from 'vitest';
import { buildCatalogue, type Catalogue, noPause, selectTools } from '../src/index.ts';

const tool = (name: string, description: string) => ({ name, description });
const OFFICE = buildCatalogue([
  tool('send_mail', 'Send a mail to a person.'),
  tool('list_mails', 'List the mails of a folder.'),
  tool('archive_mail', 'Move a mail to the archive.'),
  tool('create_event', 'Create an event in a calendar.'),
  tool('list_events', 'List the events of a calendar.'),
  tool('get_weather', 'Forecast of the weather in a place.'),
  tool('get_time', 'Current time in a place.'),
  tool('convert_currency', 'Convert an amount to another currency.'),
]);

const select = (pattern: string | readonly string[], topK = 5, catalogue: Catalogue = OFFICE) =>
  selectTools(catalogue, { pattern, topK, alwaysKeep: [], searchType: 'auto' }, noPause);

describe('a search for several needs', () => {
  test('gives the best of each a place, however the scores compare', async () => {
    const { names } = await select(['send a mail', 'weather forecast', 'convert currency'], 3);
    expect(names.toSorted()).toEqual(['convert_currency', 'get_weather', 'send_mail']);
  });

  test('then gives the second best of each a place, before any third', async () => {
    const { names } = await select(['mail', 'calendar events'], 4);
    expect(names.filter((name) => name.includes('mail'))).toHaveLength(2);
    expect(names.filter((name) => name.includes('event'))).toHaveLength(2);
  });

  test('orders by the sum of shares, which never rises down the list', async () => {
    const { names, references } = await select(['send a mail', 'mail a person a message']);
    expect(names[0]).toBe('send_mail');
    const scores = references.map(({ score }) => score);
    expect(scores).toEqual(scores.toSorted((left, right) => right - left));
    expect(scores[0]).toBe(1);
  });

  test('says what each finds: its best three, its certainty, and the words that no tool contains', async () => {
    const { certainty, unknownWords, byPattern } = await select(['send a mail', 'launch a zeppelin']);
    expect(certainty).toBe('found');
    expect(unknownWords).toEqual([]);
    expect(byPattern).toEqual([
      { names: expect.arrayContaining(['send_mail']), certainty: 'found', unknownWords: [] },
      { names: [], certainty: 'none', unknownWords: ['launch', 'zeppelin'] },
    ]);
    expect(byPattern![0]!.names.length).toBeLessThanOrEqual(3);
  });

  test('finds what one of them names exactly, and reads each on its own', async () => {
    const { names, byPattern } = await select(['get_*', 'archive_mail', 'weather']);
    expect(names).toContain('archive_mail');
    expect(names).toContain('get_weather');
    expect(byPattern!.map(({ names: [best] }) => best)).toEqual([
      expect.stringMatching(/^get_/),
      'archive_mail',
      'get_weather',
    ]);
  });

  test('is none where no query matches', async () => {
    const selection = await select(['zzzz', 'qqqq']);
    expect(selection).toMatchObject({ names: [], noMatch: true, certainty: 'none' });
    expect(selection.unknownWords).toEqual(['zzzz', 'qqqq']);
    expect(await select([])).toMatchObject({ names: [], noMatch: true, certainty: 'none' });
  });

  test('of one query is the same as that query', async () => {
    expect(await select(['send a mail'])).toEqual(await select('send a mail'));
  });

  test('keeps names to keep, and counts tools of one name once', async () => {
    const twins = buildCatalogue([
      tool('send_mail', 'Send a mail.'),
      tool('send_mail', 'Send a mail.'),
      tool('get_weather', 'Weather in a place.'),
      tool('get_time', 'Time.'),
    ]);
    const query = {
      pattern: ['mail', 'weather'],
      topK: 3,
      searchType: 'auto',
      alwaysKeep: ['get_time'],
    } as const;
    const { names } = await selectTools(twins, query, noPause);
    expect(names).toEqual(['send_mail', 'get_weather', 'get_time']);
  });
});
