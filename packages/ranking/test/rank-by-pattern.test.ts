import { expect, test } from 'vitest';
import { compileRegex } from '../src/pattern/compile-regex.ts';
import { noPause } from '../src/ranker.ts';
import { rankByPattern } from '../src/rankers/rank-by-pattern.ts';
import { DocumentTable } from '../src/tools/document-table.ts';
import { wordRanker } from './word-ranker.ts';

const document = (name: string, description = '', parameters: [string, string][] = []) => ({
  name,
  description,
  parameters: parameters.map(([parameterName, text]) => ({ name: parameterName, text })),
});

const rank = async (documents: ReturnType<typeof document>[], query: string, limit = 10) =>
  rankByPattern({
    reading: { kind: 'regex', regex: compileRegex(query)! },
    table: DocumentTable.of(documents),
    keywords: wordRanker.build(documents),
    limit,
    pause: noPause,
  });

test('ranks a match in the name above the description above a parameter, whatever the words say', async () => {
  const documents = [
    document('c', '', [['mailbox', '']]),
    document('b', 'mail mail mail box'),
    document('a_mailbox'),
    document('d', '', [['to', 'a mailbox']]),
    document('e', 'your mailbox'),
  ];
  const { hits } = await rank(documents, 'mail.*box');
  expect(hits.map((hit) => hit.position)).toEqual([2, 1, 4, 0, 3]);
});

test('orders matches in the same field by the words of the expression, then by document order', async () => {
  const documents = [
    document('x1', 'mailing'),
    document('x2', 'mail'),
    document('x3', 'mail mail'),
    document('x4', 'mailing'),
  ];
  const { hits } = await rank(documents, '.*mail.*');
  expect(hits.map((hit) => hit.position)).toEqual([2, 1, 0, 3]);
});

test('does not match across texts that stand side by side', async () => {
  const documents = [
    document('send', 'mail', [
      ['box', 'out'],
      ['post', 'card'],
    ]),
    document('x', 'y'),
    document('sendm', 'ail'),
  ];
  for (const query of ['send.?mail', '(mailbox|outpost)$', '^boxout']) {
    const { hits } = await rank(documents, query);
    expect(hits.filter((hit) => hit.matchedOn.includes('regex'))).toEqual([]);
  }
});

test('anchors at both ends of each text', async () => {
  const documents = [
    document('get_user', 'x get'),
    document('forget', 'get it'),
    document('z', '', [['get', 'x']]),
  ];
  expect((await rank(documents, '^get')).hits.map((hit) => hit.position)).toEqual([0, 1, 2]);
  expect((await rank(documents, '^get$')).hits.map((hit) => hit.position)).toEqual([2]);
});

test('finds what it would find without looking for required strings first', async () => {
  const documents = Array.from({ length: 500 }, (_, index) =>
    document(
      `t${index}`,
      `${'filler '.repeat(index % 40)}${index % 7 === 0 ? 'Slack' : ''} ${index % 11 === 0 ? 'MAIL' : ''}`,
    ),
  );
  const expected = documents.flatMap((_, index) => (index % 7 === 0 || index % 11 === 0 ? [index] : []));
  for (const query of ['slack|mail', '(?:slack|mail|\\x00)', '[s]lack|[m]ail']) {
    const { hits } = await rank(documents, query, 1_000);
    expect(hits.map((hit) => hit.position).sort((left, right) => left - right)).toEqual(expected);
  }
});

test('gives up on an expression that would take minutes, long before it has tested every text', async () => {
  const hostile = Array.from({ length: 2_000 }, (_, at) => document(`tool_${at}`, 'ab '.repeat(1_000)));
  let tests = 0;
  const regex = {
    ...compileRegex('.*a.{28}[bc].{28}[cd]')!,
    test: () => {
      tests += 1;
      return true;
    },
  };
  const ranking = await rankByPattern({
    reading: { kind: 'regex', regex },
    table: DocumentTable.of(hostile),
    keywords: wordRanker.build([]),
    limit: 5,
    pause: noPause,
  });
  expect(ranking).toEqual({ hits: [], totalMatches: 0 });
  expect(tests).toBeLessThan(1_000);
});
