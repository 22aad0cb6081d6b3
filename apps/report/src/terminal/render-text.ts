import { styleText } from 'node:util';
import { alignTable } from '@winnow/core';
import type { FindingState } from '../findings.ts';
import type { Report } from '../report.ts';
import { suggestionsPart } from '../suggestions.ts';
import type { Part, Table } from '../tables/cells.ts';
import { moneyHeadline } from '../tables/money-part.ts';
import { partsOf } from '../tables/parts.ts';
import { contextHeadline } from '../tables/tools-part.ts';
import { formatPeriod, wrap } from '../text/format.ts';
import { titleOf } from '../verdict.ts';

/** The terminal that shows the text. */
interface Terminal {
  /** In columns. */
  readonly width: number;
  /** Whether to use colours: not without a terminal, and not if `NO_COLOR` is set. */
  readonly stream: NodeJS.WriteStream;
}

/** Anything that `styleText` knows. */
type Style = Parameters<typeof styleText>[0];
type Paint = (style: Style, text: string) => string;

/** The whole report as lines of text, for a terminal of a certain width. */
export function renderText(report: Report, { width, stream }: Terminal): string {
  const paint: Paint = (style, text) => styleText(style, text, { stream });
  const lines = [
    ...renderHead(report, width, paint),
    ...renderVerdict(report, width, paint),
    ...partsOf(report).flatMap((part) => renderPart(part, width, paint)),
  ];
  return `${lines.join('\n')}\n`;
}

/** Only the suggestions, as lines of text. */
export function renderSuggestions(report: Report, { width, stream }: Terminal): string {
  const paint: Paint = (style, text) => styleText(style, text, { stream });
  const part = suggestionsPart(report.suggestions);
  const lines = part.tables.length === 0 ? part.sentences : renderPart(part, width, paint);
  return `${lines.join('\n').trimStart()}\n`;
}

function renderHead({ traffic, tools, money }: Report, width: number, paint: Paint): string[] {
  const headlines = [contextHeadline(tools), moneyHeadline(money)].filter((line) => line !== undefined);
  return [
    paint('bold', 'Tool discovery report'),
    ...wrap(formatPeriod(traffic), width),
    ...headlines.flatMap((headline) => wrap(headline, width).map((line) => paint('bold', line))),
  ];
}

const MARKS: Readonly<Record<FindingState, string>> = { clear: '✔', unclear: '?', against: '✘' };
const COLOURS: Readonly<Record<FindingState, 'green' | 'yellow' | 'red'>> = {
  clear: 'green',
  unclear: 'yellow',
  against: 'red',
};

function renderVerdict({ verdict }: Report, width: number, paint: Paint): string[] {
  const findings = verdict.findings.map(({ state, subject, value, limit }) => [
    `${MARKS[state]} ${subject}`,
    value,
    limit,
  ]);
  const table: Table = { title: '', columns: ['Metric', 'Seen', 'Limit'], textColumns: 3, rows: findings };
  return [
    ...heading(titleOf(verdict), width, paint),
    ...wrap(verdict.summary, width).map((line) => paint(['bold', COLOURS[verdict.state]], line)),
    ...(findings.length === 0 ? [] : paintMarks(renderTable(table, width), paint)),
    ...verdict.notes.flatMap((note) => wrap(`· ${note}`, width, '  ')),
  ];
}

/** Colours are added after the table is laid out, so that they do not affect widths. */
function paintMarks(lines: readonly string[], paint: Paint): string[] {
  return lines.map((line) =>
    line.replace(/^ ?([✔?✘])(?= )/u, (mark) => {
      const state = (Object.keys(MARKS) as FindingState[]).find((key) => mark.endsWith(MARKS[key]));
      return state === undefined ? mark : paint(COLOURS[state], mark);
    }),
  );
}

function renderPart({ title, sentences, tables }: Part, width: number, paint: Paint): string[] {
  return [
    ...heading(title, width, paint),
    ...sentences.flatMap((sentence) => wrap(sentence, width)),
    ...tables.flatMap((table, index) => [
      ...(index > 0 || sentences.length > 0 ? [''] : []),
      ...wrap(table.title, width).map((line) => paint('bold', line)),
      ...renderTable(table, width),
      ...(table.note === undefined ? [] : wrap(table.note, width).map((line) => paint('dim', line))),
    ]),
  ];
}

function heading(title: string, width: number, paint: Paint): string[] {
  const rule = '─'.repeat(Math.max(0, width - title.length - 1));
  return ['', `${paint(['bold', 'cyan'], title)} ${paint('dim', rule)}`];
}

/** Between two columns. */
const GAP = 2;
/** Texts are cut to no less than this, as the beginning of a name says little. */
const NARROWEST_TEXT = 12;

/** A table as lines of text, texts to the left, numbers to the right; texts wrap where the terminal is too narrow for them. */
export function renderTable({ columns, rows, textColumns = 1 }: Table, width: number): string[] {
  const widths = columnWidths(columns, rows, textColumns, width);
  const lines = rows.flatMap((row) => {
    const cells = row.map((cell, column) => wrap(cell, widths[column]! - GAP));
    const height = Math.max(...cells.map(({ length }) => length));
    return Array.from({ length: height }, (_, line) => cells.map((cell) => cell[line] ?? ''));
  });
  return alignTable([columns, ...lines], textColumns);
}

/** Returns the width of each column's longest cell; the widest text columns shrink if the table is too wide. */
function columnWidths(
  columns: readonly string[],
  rows: readonly (readonly string[])[],
  textColumns: number,
  width: number,
): number[] {
  const widths = columns.map(
    (title, index) => Math.max(title.length, ...rows.map((row) => (row[index] ?? '').length)) + GAP,
  );
  for (let over = sum(widths) - GAP - width; over > 0; over--) {
    const widest = widths
      .slice(0, textColumns)
      .reduce((best, value, index, all) => (value > all[best]! ? index : best), 0);
    if (widths[widest]! <= NARROWEST_TEXT) break;
    widths[widest]! -= 1;
  }
  return widths;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
