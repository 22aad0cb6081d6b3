import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { measureUnanswerable, unanswerableMarks } from '../../src/retrieval/measure-unanswerable.ts';
import { readUnanswerable } from '../../src/retrieval/read-unanswerable.ts';

function folderOf(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'unanswerable-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

const weather = { name: 'get_weather', description: 'Weather of a place.', parameters: { type: 'dict' } };

test('measures requests without a tool, and what answerable ones lose', async () => {
  const line = (content: string) =>
    JSON.stringify({ id: content, question: [[{ role: 'user', content }]], function: [weather] });
  const folder = folderOf({
    'BFCL_v4_irrelevance.json': `${line('Sort these numbers, largest first.')}\n${line('The weather, please')}\n`,
    'tool_search_relevance.json': JSON.stringify({
      tools: [weather],
      intents: [
        { query: 'weather', relevance: { get_weather: 3 } },
        { query: 'launch rocket telemetry', relevance: {} },
      ],
    }),
    'other.json': 'not read',
  });
  const measured = await measureUnanswerable(readUnanswerable(folder));
  expect(measured).toEqual([
    { name: 'irrelevance', unanswerable: 2, found: 1, recall5: undefined },
    { name: 'ironclaw', unanswerable: 1, found: 0, recall5: 1 },
  ]);
  expect(unanswerableMarks(measured, 'bm25').map(({ isMet }) => isMet)).toEqual([false, true, true]);
});

test('says so where a folder has none of the files', () => {
  expect(() => readUnanswerable(folderOf({}))).toThrow('no BFCL_*irrelevance.json');
});
