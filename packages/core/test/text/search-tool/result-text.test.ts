import { describe, expect, test } from 'vitest';
import { type NamedTool, resultText } from '../../../src/text/search-tool/result-text.ts';

const found = (...tools: NamedTool[]) => resultText({ kind: 'found', tools });
const lineOf = (description: string) => found({ name: 'x', description }).split('\n')[1]!;

describe('the text of a result', () => {
  test('lists the tools in order, and says that they can be called', () => {
    const tools = [
      { name: 'mail_send', description: 'Sends a mail.' },
      { name: 'mail_list', description: '' },
    ];
    expect(found(...tools)).toBe(
      'These tools can be called now, the best match first:\n- mail_send: Sends a mail.\n- mail_list',
    );
  });

  test('folds a description to one line', () => {
    expect(lineOf('Sends\n\n  a\tmail.\n- evil: line')).toBe('- x: Sends a mail. - evil: line');
  });

  test('cuts a long description at a whole character', () => {
    const family = '👨‍👩‍👧‍👦';
    const line = lineOf(family.repeat(100));
    expect(line.endsWith(`${family}…`)).toBe(true);
    expect(line.length).toBeLessThanOrEqual('- x: '.length + 200);
    expect(lineOf('x'.repeat(200))).toBe(`- x: ${'x'.repeat(200)}`);
    expect(lineOf('x'.repeat(201))).toBe(`- x: ${'x'.repeat(199)}…`);
    expect(lineOf('\ud83d'.repeat(20)).isWellFormed()).toBe(true);
    expect(lineOf('\ud83d'.repeat(300)).isWellFormed()).toBe(true);
  });

  test.each(['weak', 'no_match', 'restored', 'limit'] as const)(
    'is never empty of instruction: %s',
    (kind) => {
      expect(resultText({ kind, tools: [] })).toMatch(/tools?\b.*\.$/);
    },
  );

  test('says whether another search makes sense', () => {
    expect(resultText({ kind: 'no_match', tools: [] })).toContain('rather than search for it again');
    expect(resultText({ kind: 'limit', tools: [] })).toContain('No further searches');
    expect(resultText({ kind: 'restored', tools: [] })).toContain('All tools can be called');
  });

  test('names weak matches, which cannot be called, and the words that no tool contains', () => {
    const tools = [{ name: 'brew_coffee', description: 'Brews coffee.' }];
    const text = resultText({ kind: 'weak', tools, unknownWords: ['rocket', 'telemetry'] });
    expect(text).toContain('cannot be called yet:\n- brew_coffee: Brews coffee.\n');
    expect(text).toContain('Words that no tool contains: rocket, telemetry.');
    expect(text).toContain('search for its exact name');
    expect(resultText({ kind: 'no_match', tools: [], unknownWords: ['rocket'] })).toContain('rocket.');
  });
});
