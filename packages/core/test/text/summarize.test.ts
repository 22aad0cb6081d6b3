import { describe, expect, test } from 'vitest';
import { summarize } from '../../src/text/readable-text.ts';

test.each([
  ['', ''],
  ['   \n ', ''],
  ['Get the weather', 'Get the weather'],
  ['Get the weather. Then go.', 'Get the weather.'],
  ['Search!  Now', 'Search!'],
  ['Is it so? Yes.', 'Is it so?'],
  ['Find  users,\n\te.g. by name. More.', 'Find users, e.g. by name.'],
  ['Uses API v1.2 of the server. More.', 'Uses API v1.2 of the server.'],
  ['Searches U.S. patents by title. More.', 'Searches U.S. patents by title.'],
  ['Searches hearings of the U.S. Senate. More.', 'Searches hearings of the U.S. Senate.'],
  ['Covers the U.S.', 'Covers the U.S.'],
  ['Read files, folders, etc. from disk. More.', 'Read files, folders, etc. from disk.'],
  ['Read files, folders, etc. Returns text.', 'Read files, folders, etc.'],
  ['Compare one vs. two. More.', 'Compare one vs. two.'],
  ['1. Open the file. 2. Read it.', '1. Open the file.'],
  ['Say "hello." Then go.', 'Say "hello."'],
  ['Works (mostly.) Then not.', 'Works (mostly.)'],
  ['Open config.json and .env files. More.', 'Open config.json and .env files.'],
  ['Wait... there is more. End.', 'Wait...'],
  ['获取天气。然后返回。', '获取天气。'],
  ['天気は？はい。', '天気は？'],
  ['List workflow runs\n\nArgs: owner', 'List workflow runs'],
  ['First line\nsecond line. More', 'First line second line.'],
])('%j is summed up as %j', (description, summary) => {
  expect(summarize(description)).toBe(summary);
});

describe('a long sentence', () => {
  test('keeps 120 characters and not one more', () => {
    expect(summarize('x'.repeat(120))).toBe('x'.repeat(120));
    expect(summarize('x'.repeat(121))).toBe(`${'x'.repeat(119)}…`);
  });

  test('is cut after a whole word', () => {
    expect(summarize(`${'word '.repeat(40)}end.`)).toBe(`${'word '.repeat(23)}word…`);
  });

  test.each([
    ['👨‍👩‍👧‍👦', 'a family of four joined people'],
    ['🇩🇪', 'a flag of two letters'],
    ['e\u0301', 'a letter and its accent'],
    ['😀', 'a surrogate pair'],
    ['한', 'a syllable of three letters'],
  ])('is never cut inside %s (%s)', (character) => {
    for (let lead = 0; lead < 12; lead += 1) {
      const summary = summarize('x'.repeat(lead) + character.repeat(130));
      expect(summary.length).toBeLessThanOrEqual(120);
      expect(summary.slice(lead, -1).replaceAll(character, '')).toBe('');
      expect(summary.endsWith('…')).toBe(true);
    }
  });
});

test('bears megabytes of white space, full stops, marks and lone surrogates', () => {
  for (const text of [' ', '.', 'e.g. ', '\n', '\u0301', '\ud83d', '"', 'a.']) {
    expect(summarize(text.repeat(1_000_000)).length).toBeLessThanOrEqual(120);
  }
});
