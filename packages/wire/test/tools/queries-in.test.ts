import { expect, test } from 'vitest';
import { queriesIn } from '../../src/tools/hidden-names.ts';

test.each([
  ['{"queries":["send mail","  find a contact\\n"]}', ['send mail', 'find a contact']],
  ['{"query":"send mail"}', ['send mail']],
  ['{"query":"send mail","queries":["send mail","list mails"]}', ['send mail', 'list mails']],
  [{ query: 'an object' }, ['an object']],
  ['{"queries":"one text"}', ['one text']],
  ['{"queries":"[\\"a list\\", \\"in a text\\"]"}', ['a list', 'in a text']],
  [{ queries: JSON.stringify(JSON.stringify(['a list', 'in two texts'])) }, ['a list', 'in two texts']],
  [{ queries: '"send mail" to all' }, ['"send mail" to all']],
  ['{"queries":"send mail\\nfind a contact"}', ['send mail', 'find a contact']],
  [
    '{"queries":[{"query":"send mail"},{"verb":"find","object":"a contact"}]}',
    ['send mail', 'find a contact'],
  ],
  ['{"queries":[["send mail"],[null,404,true,"find a contact"]]}', ['send mail', '404', 'find a contact']],
  ['{"queries":{"0":"send mail","1":"find it"}}', ['send mail find it']],
  ['{"query":7}', ['7']],
  ['{"search":"send mail"}', ['send mail']],
  ['["send mail","find a contact"]', ['send mail', 'find a contact']],
  ['"send mail"', ['send mail']],
  ['send mail', ['send mail']],
  ['queries: send mail', ['send mail']],
  ['{"queries":["cut', []],
  ['"cut', []],
  ['{"queries":[]}', []],
  ['{"queries":["", " "]}', []],
  ['', []],
  [undefined, []],
  [null, []],
])('reads the queries in %j', (given, queries) => {
  expect(queriesIn(given)).toEqual(queries);
});

test('reads no arguments that are nested deeply or hold many values, and no more than is searched for', () => {
  const nested = `${'['.repeat(2_000)}${']'.repeat(2_000)}`;
  expect(queriesIn(`{"query":"send mail","more":${nested}}`)).toEqual([]);
  expect(queriesIn(`{"query":"send mail","more":[${'0,'.repeat(300_000)}0]}`)).toEqual([]);
  expect(queriesIn({ queries: JSON.parse(nested) })).toEqual([]);
  const many = Array.from({ length: 100_000 }, (_, at) => `phrase ${at}`);
  expect(queriesIn({ queries: many })).toEqual(many.slice(0, 16));
  expect(queriesIn({ queries: 'x'.repeat(100_000) })).toEqual(['x'.repeat(8_192)]);
  expect(queriesIn({ query: `send mail\n${'\n'.repeat(5_000_000)}never read` })).toEqual(['send mail']);
  const members = Object.fromEntries(many.map((text, at) => [`k${at}`, text]));
  expect(queriesIn(members)).toEqual(many.slice(0, 16));
  expect(queriesIn({ queries: [members] })[0]).toMatch(/^phrase 0 phrase 1 .* phrase 19\d$/);
  expect(queriesIn({ queries: ['x'.repeat(5_000), 'y'.repeat(5_000), 'z'] })).toEqual([
    'x'.repeat(5_000),
    'y'.repeat(3_192),
  ]);
});
