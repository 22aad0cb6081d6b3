import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runSearch } from '../bin/run-search.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'winnow-search-'));
});
afterAll(() => rm(folder, { recursive: true }));

const TOOLS = [
  {
    name: 'send_mail',
    description: 'Send a message. By mail.',
    parameters: { properties: { recipient: {} } },
  },
  { type: 'function', function: { name: 'get_weather', description: 'Forecast for a city' } },
  { toolSpec: { name: 'create_issue', description: 'Open an issue', inputSchema: { json: {} } } },
  { name: 'list_issues', definition: { description: 'All issues' } },
];
const LINES = TOOLS.map((tool) => JSON.stringify(tool)).join('\n');

async function search(content: string | undefined, ...args: string[]) {
  const path = join(folder, 'tools.jsonl');
  if (content === undefined) await rm(path, { force: true });
  else await writeFile(path, content);
  const lines: string[] = [];
  const errors: string[] = [];
  const code = await runSearch([path, ...args], {
    print: (line) => lines.push(line),
    printError: (line) => errors.push(line.replaceAll(folder, '')),
  });
  return { code, lines, error: errors.join('\n') };
}

test('shows how the query was read, ranks, scores, what matched, and a summary', async () => {
  const { code, lines } = await search(LINES, 'weather in the city');
  expect(code).toBe(0);
  expect(lines).toEqual([
    'read as keyword, 1 of 4 tools match',
    '',
    'rank  score  name         matched on        summary',
    '1     1.000  get_weather  name description  Forecast for a city',
  ]);
});

test('reads every provider shape, an array, blank lines, Windows line ends and a byte order mark', async () => {
  for (const content of [
    LINES,
    JSON.stringify(TOOLS, null, 2),
    `\ufeff${LINES.replaceAll('\n', '\r\n\r\n')}\r\n`,
    `\n\n${JSON.stringify(TOOLS)}`,
  ]) {
    expect((await search(content, '.*')).lines[0]).toBe('read as regex, 4 of 4 tools match');
  }
});

test('takes several queries, and shows what each finds', async () => {
  const { lines } = await search(LINES, 'send a message', 'launch a rocket', 'open an issue');
  expect(lines[0]).toBe('read as keyword, 3 of 4 tools match');
  expect(lines.slice(1, 4)).toEqual([
    '"send a message" found: send_mail',
    '"launch a rocket" none',
    '"open an issue" found: create_issue, list_issues',
  ]);
  expect(lines.slice(5).map((line) => line.split(/\s+/)[2])).toEqual([
    'name',
    'send_mail',
    'create_issue',
    'list_issues',
  ]);
});

test('takes --ranker', async () => {
  for (const ranker of ['bm25', 'wink']) {
    const { lines } = await search(LINES, 'weather in the city', '--ranker', ranker);
    expect(lines[3]).toMatch(/^1 +1\.000 {2}get_weather {2}name description/);
  }
  expect(await search(LINES, 'weather', '--ranker', 'bm52')).toMatchObject({
    code: 2,
    error: expect.stringContaining('--ranker must be one of bm25, wink'),
  });
});

test('takes --top, --type and --keep', async () => {
  const { lines } = await search(
    LINES,
    '*issue*',
    '--top',
    '1',
    '--keep',
    'send_mail',
    '--keep',
    'get_weather',
  );
  expect(lines[0]).toBe('read as glob, 2 of 4 tools match, 2 to keep left out');
  expect(lines).toHaveLength(4);
  expect((await search(LINES, 'issue', '--type', 'regex')).lines[0]).toBe(
    'read as regex, 2 of 4 tools match',
  );
  expect((await search(LINES, 'mail', '--keep', 'list_issues')).lines[4]).toMatch(
    /^2 +0\.000 +list_issues +kept +All issues$/,
  );
});

test('explains any tool of the catalogue with --explain, and says which names are none', async () => {
  const names = ['send_mail', 'get_weather', 'gone'].flatMap((name) => ['--explain', name]);
  const { lines } = await search(LINES, 'weather by mail', '--top', '1', ...names);
  expect(lines.slice(4)).toEqual([
    '',
    'rank  score  name         matched  missing',
    expect.stringMatching(/^[12] +[01]\.\d{3} +send_mail +mail +weather$/),
    expect.stringMatching(/^[12] +[01]\.\d{3} +get_weather +weather +mail$/),
    'not in the catalogue: gone',
  ]);
});

test('says when nothing matches', async () => {
  expect(await search(LINES, 'zebra')).toEqual({
    code: 0,
    lines: ['read as keyword, 0 of 4 tools match'],
    error: '',
  });
});

test('does not let a catalogue write to the terminal as it likes', async () => {
  const { lines } = await search(
    JSON.stringify({ name: 'evil', description: 'red \u001b[31m mail' }),
    'mail',
  );
  expect(lines.join('')).not.toContain('\u001b');
});

describe('fails with the place of the fault:', () => {
  test.each([
    ['a line that is not JSON', '{"name":"a"}\n{oops}\n', '/tools.jsonl:2: '],
    [
      'a tool without a name',
      '{"name":"a"}\n\n{"description":"b"}',
      '/tools.jsonl:3, name: A tool needs a name',
    ],
    ['a line that is no object', '{"name":"a"}\n7', '/tools.jsonl:2: Invalid input: expected object'],
    ['an array that is cut', '[{"name":"a"},\n', '/tools.jsonl: '],
    ['an element without a name', '[{"name":"a"}, null]', '/tools.jsonl[1]: Invalid input: expected object'],
    ['a file that is not there', undefined, '/tools.jsonl: ENOENT'],
  ])('%s', async (_, content, message) => {
    const { code, lines, error } = await search(content, 'query');
    expect(code).toBe(1);
    expect(lines).toEqual([]);
    expect(error).toContain(message);
  });
});

describe('shows the usage', () => {
  const run = async (...args: string[]) => {
    const printed: string[] = [];
    const errors: string[] = [];
    const code = await runSearch(args, {
      print: (line) => printed.push(line),
      printError: (line) => errors.push(line),
    });
    return { code, printed: printed.join('\n'), error: errors.join('\n') };
  };

  test('when asked for it', async () => {
    expect(await run('--help')).toMatchObject({
      code: 0,
      printed: expect.stringMatching(/^Usage: npm run search/),
      error: '',
    });
  });

  test.each([
    [[], 'which catalogue?'],
    [['tools.jsonl'], 'which query?'],
    [['tools.jsonl', ...'abcdefghijklmnopq'], 'in quotes'],
    [['tools.jsonl', 'send', 'mail', '--explain', 'x'], 'a single query'],
    [['tools.jsonl', 'q', '--top', '0'], 'not "0"'],
    [['tools.jsonl', 'q', '--top', 'x'], 'not "x"'],
    [['tools.jsonl', 'q', '--type', 'fuzzy'], 'auto, keyword, regex'],
    [['tools.jsonl', 'q', '--tpo', '3'], '--tpo'],
  ])('with what is wrong in %j', async (args, message) => {
    const { code, printed, error } = await run(...args);
    expect(code).toBe(2);
    expect(printed).toBe('');
    expect(error).toContain(message);
    expect(error).toContain('Usage:');
  });
});

test('says what is wrong with an embedder', async () => {
  const { code, error } = await search(LINES, 'weather', '--embedder', 'onnx:/nowhere');
  expect([code, error]).toEqual([1, '/nowhere has no file model.onnx']);
  expect((await search(LINES, 'weather', '--embedder', 'nonsense')).error).toContain(
    'an embedder must be onnx:FOLDER',
  );
});
