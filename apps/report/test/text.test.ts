import { PassThrough } from 'node:stream';
import { WriteStream } from 'node:tty';
import { stripVTControlCharacters } from 'node:util';
import { printable } from '@winnow/core';
import { describe, expect, test } from 'vitest';
import { renderTable, renderText } from '../src/terminal/render-text.ts';
import { formatDuration, formatMs, formatRate, formatShare, wrap } from '../src/text/format.ts';
import { makeRecords } from './make-records.ts';
import { reportOn } from './report-on.ts';

/** An output that is not a terminal; nothing is written to it. */
const NO_TERMINAL = new PassThrough() as unknown as NodeJS.WriteStream;

/** A terminal as far as colours go, in an environment of its own: that of the test run may be a terminal, a CI or neither. */
const terminalIn = (environment: object) =>
  Object.assign(new PassThrough(), {
    isTTY: true,
    getColorDepth: () => WriteStream.prototype.getColorDepth(environment),
  }) as unknown as NodeJS.WriteStream;

const RECORDS = makeRecords({ seed: 9, exchanges: 600, reasons: ['inside_percent', 'outside_percent'] });

const REPORT = reportOn(RECORDS);

describe('numbers', () => {
  test.each([
    [0, '0%'],
    [1, '100%'],
    [0.1, '10.0%'],
    [0.01234, '1.2%'],
    [0.00123, '0.12%'],
    [0.000001, '< 0.01%'],
    [0.9999, '99.99%'],
    [-0.25, '-25.0%'],
  ])('as share: %d is %s', (share, text) => expect(formatShare(share)).toBe(text));

  test.each([
    [0.1234, '0.12 ms'],
    [12.345, '12.3 ms'],
    [123.45, '123 ms'],
    [1234.5, '1.23 s'],
    [61_000, '61.00 s'],
  ])('as time: %d is %s', (ms, text) => expect(formatMs(ms)).toBe(text));

  test.each([
    [10_000, '10 seconds'],
    [60_000, '1 minute'],
    [3 * 3_600_000, '3 hours'],
    [14 * 86_400_000, '14 days'],
  ])('as duration: %d is %s', (ms, text) => expect(formatDuration(ms)).toBe(text));

  test('as rate: with the interval, and without a share when there is none', () => {
    expect(formatRate({ part: 12, whole: 340, share: 12 / 340, interval: { low: 0.02, high: 0.061 } })).toBe(
      '12 of 340: 3.5% (2–6.1%)',
    );
    expect(formatRate({ part: 0, whole: 9_000, share: 0, interval: { low: 0, high: 0.00043 } })).toBe(
      '0 of 9,000: 0% (0–0.04%)',
    );
    expect(formatRate({ part: 0, whole: 0 })).toBe('0 of 0');
  });
});

describe('texts from records', () => {
  test.each([
    ['plain_tool-name.v2', 'plain_tool-name.v2'],
    ['größe 名前 🙂', 'größe 名前 🙂'],
    ['\u001b[2Jgone', '\\u{1b}[2Jgone'],
    ['a\nb\tc\u0000', 'a\\u{a}b\\u{9}c\\u{0}'],
    ['\u202egnp.exe', '\\u{202e}gnp.exe'],
    ['\u009b31m', '\\u{9b}31m'],
    ['half \ud83d', 'half \\u{d83d}'],
  ])('%j is shown as %j', (text, shown) => expect(printable(text)).toBe(shown));
});

describe('wrapping', () => {
  test('breaks between words, and within a word only where it is longer than a line', () => {
    expect(wrap('one two three', 7)).toEqual(['one two', 'three']);
    expect(wrap('a incredibly_long_name', 10)).toEqual(['a', 'incredibly', '_long_name']);
    expect(wrap('· one two', 5, '  ')).toEqual(['· one', '  two']);
  });
});

describe('a table', () => {
  const table = {
    title: '',
    columns: ['Tool', 'Times'],
    rows: [
      ['short', '1'],
      ['a_name_that_is_far_longer_than_the_terminal_is_wide', '1,000'],
    ],
  };

  test('has texts to the left and numbers to the right', () => {
    expect(renderTable(table, 100).map((line) => line.trimEnd())).toEqual([
      'Tool                                                 Times',
      'short                                                    1',
      'a_name_that_is_far_longer_than_the_terminal_is_wide  1,000',
    ]);
  });

  test('wraps names where the terminal is narrow, and loses no character', () => {
    const lines = renderTable(table, 30);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(30);
    expect(lines.map((line) => line.slice(0, 23).trim()).join('')).toContain(table.rows[1]![0]);
  });
});

describe('the report as text', () => {
  test.each([40, 60, 80, 120])('fits a terminal of %d columns as far as its numbers do', (width) => {
    const lines = renderText(REPORT, { width, stream: NO_TERMINAL }).split('\n');
    // Below 80 columns the figures of the widest tables alone need more.
    const isTooLong = (line: string) => line.length > Math.max(width, 78);
    expect(lines.filter(isTooLong)).toEqual([]);
  });

  test('has colours on a terminal, and none without one', () => {
    const plain = renderText(REPORT, { width: 80, stream: NO_TERMINAL });
    const render = (environment: object) =>
      renderText(REPORT, { width: 80, stream: terminalIn(environment) });
    expect(plain).toBe(stripVTControlCharacters(plain));
    const coloured = render({ TERM: 'xterm-256color' });
    expect(coloured).not.toBe(plain);
    expect(stripVTControlCharacters(coloured)).toBe(plain);
    expect(render({ TERM: 'xterm-256color', NO_COLOR: '1' })).toBe(plain);
    expect(render({ TERM: 'dumb' })).toBe(plain);
  });

  test('lets no name of a tool or model write to the terminal', () => {
    const hostile = RECORDS.map((record) => ({
      ...record,
      model: '\u001b]0;owned\u0007\u001b[2J',
      planReason: '\u001b[31m',
      upstream: 'a\nb',
    }));
    const text = renderText(reportOn(hostile), { width: 100, stream: NO_TERMINAL });
    expect(text.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
    expect(text).toContain('\\u{1b}]0;owned');
  });

  test('says what arm off cannot tell instead of printing zeros', () => {
    const off = makeRecords({ seed: 9, exchanges: 50, reasons: ['rollout_off'] });
    const text = renderText(reportOn(off), { width: 100, stream: NO_TERMINAL });
    expect(text).toContain('No request was read: all exchanges are in arm off, or were dropped.');
    expect(text).not.toContain('Tokens of tools, estimated');
    expect(text).not.toContain('added by Winnow');
  });

  test('of no record says just that', () => {
    const text = renderText(reportOn([]), { width: 100, stream: NO_TERMINAL });
    expect(text).toContain('No record was found.');
    expect(text).not.toContain('Latency');
  });
});
