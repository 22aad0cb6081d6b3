import { printable } from '@winnow/core';
import type { TextPart, TextTable } from '../text-part.ts';
import type { Suggestions } from './suggest.ts';
import { needOf } from './write-profiles.ts';

/** Returns suggestions in words, with the evidence next to each line. */
export function suggestionsText(suggestions: readonly Suggestions[]): TextPart {
  const tables = [keepTable, releaseTable, unusedTable, wordsTable, unansweredTable];
  return {
    title: 'Suggestions',
    sentences: [suggestions.length === 0 ? NO_SUGGESTIONS : ABOUT_SUGGESTIONS],
    tables: tables.map((make) => make(suggestions)).filter(({ rows }) => rows.length > 0),
  };
}

const ABOUT_SUGGESTIONS =
  'Nothing changes by itself. `--suggest --write FILE` writes the tools to keep as profiles for tools.profiles_file.';
const NO_SUGGESTIONS =
  'There is nothing to suggest: no agent has enough conversations, or nothing needs to change.';

const AGENT = 'Agent · upstream · model';

function keepTable(suggestions: readonly Suggestions[]): TextTable {
  return {
    title: 'Keep visible',
    columns: [AGENT, 'Tool', 'Why', 'Tokens'],
    textColumns: 3,
    rows: rowsOf(suggestions, ({ keep }) =>
      keep.map(({ tool, bytes, ...need }) => [tool, needOf(need), tokensOf(bytes)]),
    ),
    note: 'Called in at least half of the conversations, or searched for before any other tool in at least a quarter.',
  };
}

function releaseTable(suggestions: readonly Suggestions[]): TextTable {
  return {
    title: 'Stop keeping',
    columns: [AGENT, 'Tool', 'Conversations without a call', 'Tokens'],
    textColumns: 2,
    rows: rowsOf(suggestions, ({ release }) =>
      release.map(({ tool, bytes, called }) => [tool, formatCount(called.of), tokensOf(bytes)]),
    ),
    note: 'Some tools are always kept, such as a shell; you can only remove those in always_keep.',
  };
}

function unusedTable(suggestions: readonly Suggestions[]): TextTable {
  return {
    title: 'Never called',
    columns: [AGENT, 'Tool', 'Conversations without a call', 'Tokens'],
    textColumns: 2,
    rows: rowsOf(suggestions, ({ unused }) =>
      unused.map(({ tool, bytes, called }) => [tool, formatCount(called.of), tokensOf(bytes)]),
    ),
  };
}

function wordsTable(suggestions: readonly Suggestions[]): TextTable {
  return {
    title: 'Words for descriptions',
    columns: [AGENT, 'Tool', 'Words of searches that led to it, and conversations'],
    textColumns: 3,
    rows: rowsOf(suggestions, ({ words }) =>
      words.map(({ tool, words: own }) => [
        tool,
        own.map(({ word, conversations }) => `${word} (${formatCount(conversations)})`).join(', '),
      ]),
    ),
  };
}

function unansweredTable(suggestions: readonly Suggestions[]): TextTable {
  return {
    title: 'Searches that found nothing',
    columns: [AGENT, 'Search', 'Conversations', 'Clients'],
    textColumns: 2,
    rows: rowsOf(suggestions, ({ unanswered }) =>
      unanswered.map(({ hash, text, support }) => [
        text ?? `hash ${hash}`,
        formatCount(support.conversations),
        formatCount(support.clients),
      ]),
    ),
    note: 'Texts are shown only if records.query_text was set.',
  };
}

function rowsOf(
  suggestions: readonly Suggestions[],
  linesOf: (one: Suggestions) => readonly (readonly string[])[],
): string[][] {
  return suggestions.flatMap((one) => {
    const agent = [one.agent, one.upstream, one.model].join(' · ');
    return linesOf(one).map((cells) => [agent, ...cells].map(printable));
  });
}

/** Bytes of definitions per token, as everywhere. */
const BYTES_PER_TOKEN = 4;

function tokensOf(bytes: number | undefined): string {
  return bytes === undefined ? 'unknown' : formatCount(Math.round(bytes / BYTES_PER_TOKEN));
}

function formatCount(count: number): string {
  return count.toLocaleString('en');
}
