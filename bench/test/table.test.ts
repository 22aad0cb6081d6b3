import { expect, test } from 'vitest';
import { figure, selectColumns, toMarkdown, toPlainText } from '../src/table.ts';

const table = {
  title: 'Scores',
  header: ['set', 'score', 'ms'],
  rows: [
    ['a long name', '0.5', '12.25'],
    ['b|c', '0.25'],
  ],
  labels: 1,
};

test('aligns labels left and figures right', () => {
  expect(toPlainText(table)).toBe(
    [
      'Scores',
      '',
      'set          score     ms',
      '-----------  -----  -----',
      'a long name    0.5  12.25',
      'b|c           0.25',
      '',
    ].join('\n'),
  );
});

test('writes the same as Markdown, with bars escaped and short rows filled', () => {
  expect(toMarkdown(table)).toBe(
    [
      '| set | score | ms |',
      '| --- | ---: | ---: |',
      '| a long name | 0.5 | 12.25 |',
      '| b\\|c | 0.25 |  |',
      '',
    ].join('\n'),
  );
});

test('shows a dash where nothing was measured', () => {
  expect([figure(undefined), figure(0), figure(12.345, 1)]).toEqual(['–', '0.000', '12.3']);
});

test('leaves out columns of a table', () => {
  expect(toMarkdown(selectColumns(table, ['set', 'ms']))).toBe(
    ['| set | ms |', '| --- | ---: |', '| a long name | 12.25 |', '| b\\|c |  |', ''].join('\n'),
  );
});
