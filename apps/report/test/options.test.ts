import { describe, expect, test } from 'vitest';
import { readOptions, UsageError } from '../src/options.ts';

const NOW = Date.parse('2026-11-21T12:00:00Z');
const read = (...args: string[]) => readOptions(args, NOW);

describe('a command line', () => {
  test('of files alone gives the tables and a page next to the file', () => {
    expect(read('a.jsonl', 'b.jsonl')).toEqual({
      sources: ['a.jsonl', 'b.jsonl'],
      page: 'tool_discovery.html',
      isJson: false,
      isSuggesting: false,
      period: {},
    });
  });

  test('chooses where the page goes, or that there is none', () => {
    expect(read('a', '--html', 'x.html')?.page).toBe('x.html');
    expect(read('a', '--no-html')?.page).toBeUndefined();
    expect(read('a', '--json')?.page).toBeUndefined();
    expect(read('a', '--json', '--html', 'x.html')?.page).toBe('x.html');
  });

  test('suggests alone', () => {
    expect(read('a', '--suggest')).toMatchObject({ isSuggesting: true });
    expect(read('a', '--suggest')?.page).toBeUndefined();
  });

  test.each([
    ['2026-11-20', '2026-11-20T00:00:00.000Z'],
    ['2026-11-20T08:30', '2026-11-20T08:30:00.000Z'],
    ['2026-11-20T08:30:15.250Z', '2026-11-20T08:30:15.250Z'],
    ['2026-11-20T08:30+02:00', '2026-11-20T06:30:00.000Z'],
    ['90m', '2026-11-21T10:30:00.000Z'],
    ['24h', '2026-11-20T12:00:00.000Z'],
    ['7d', '2026-11-14T12:00:00.000Z'],
  ])('reads the time %s', (text, time) => {
    expect(read('a', '--since', text)?.period).toEqual({ since: Date.parse(time) });
  });

  test('that asks for help is not a mistake', () => {
    expect(read('--help')).toBeUndefined();
    expect(read('-h')).toBeUndefined();
  });

  test.each([
    ['no file', [], /at least one file/],
    ['an unknown option', ['a', '--htlm', 'x'], /htlm/],
    ['a time that is none', ['a', '--since', 'yesterday'], /--since: "yesterday" is not a time/],
    ['a day that is none', ['a', '--until', '2026-13-40'], /--until/],
    ['an empty period', ['a', '--since', '1h', '--until', '2h'], /before --until/],
    ['a page and none', ['a', '--html', 'x', '--no-html'], /contradict/],
    ['a page without a name', ['a', '--html', ''], /needs the name/],
  ])('with %s says what is wrong', (_, args, message) => {
    expect(() => read(...args)).toThrow(UsageError);
    expect(() => read(...args)).toThrow(message);
  });
});
