import { describe, expect, test } from 'vitest';
import { findBreaches } from '../scripts/prose/find-breaches.ts';

const wordsIn = (path: string, text: string) => findBreaches(path, text).map(({ word }) => word);

describe('banned words', () => {
  test.each([
    'nobody',
    'Nobody',
    'somebody',
    'Somebody',
    'whoever',
    'Whoever',
    'beside',
    'Beside',
    'clue',
    'clues',
    'onlooker',
    'onlookers',
    'held end',
    'held ends',
    'phantom',
  ])('reports %j', (word) => {
    expect(wordsIn('a.yaml', `# It is ${word}'s.`)).toEqual([word]);
  });

  test.each(['besides', 'everybody', 'NOBODY', 'held endpoint', 'clueless'])('allows %j', (word) => {
    expect(wordsIn('a.ts', `// ${word}`)).toEqual([]);
  });

  test('are reported in comments, messages and Markdown, each with its line', () => {
    const source = "// For nobody.\nconst told = 'somebody';\n\n/* beside\n whoever */\n";
    expect(findBreaches('a.ts', source)).toEqual([
      { line: 1, word: 'nobody' },
      { line: 2, word: 'somebody' },
      { line: 4, word: 'beside' },
      { line: 5, word: 'whoever' },
    ]);
    expect(findBreaches('a.md', 'One.\n\nNobody, nobody.\n')).toEqual([
      { line: 3, word: 'Nobody' },
      { line: 3, word: 'nobody' },
    ]);
  });

  test('may be quoted as code in Markdown, and only there', () => {
    const page = 'Not `beside`.\n\n```json\n{"user": "nobody"}\n```\n\nBut whoever.\n';
    expect(findBreaches('a.md', page)).toEqual([{ line: 7, word: 'whoever' }]);
    expect(wordsIn('a.ts', 'const user = `nobody`;')).toEqual(['nobody']);
  });
});

describe('the start of a doc comment', () => {
  test.each(['What', 'Of', 'Where', 'How'])('must not be %j', (word) => {
    expect(wordsIn('a.ts', `/** ${word} it takes. */`)).toEqual([`/** ${word}`]);
    expect(findBreaches('a.mts', `let a = 1;\n/**\n * ${word} it takes.\n */`)).toEqual([
      { line: 3, word: `/** ${word}` },
    ]);
  });

  test.each(['Whether it is so.', 'However it is.', 'Returns what it takes.', 'Whatever comes.', 'Offers.'])(
    'may be %j',
    (text) => {
      expect(wordsIn('a.ts', `/** ${text} */`)).toEqual([]);
    },
  );

  test('stands only in doc comments of programs', () => {
    expect(wordsIn('a.ts', '// What it takes.\n/* How it is done. */')).toEqual([]);
    expect(wordsIn('a.md', '/** What a glob of folders can be. */')).toEqual([]);
  });

  test('comes in the order of lines with banned words', () => {
    expect(wordsIn('a.ts', '/** What is. */\n// beside\n/** How it is. */')).toEqual([
      '/** What',
      'beside',
      '/** How',
    ]);
  });
});
