import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';

const COMMAND = fileURLToPath(new URL('../src/retrieval.ts', import.meta.url));
const FIXTURES = fileURLToPath(new URL('fixtures', import.meta.url));

const run = (...options: string[]) => promisify(execFile)(process.execPath, [COMMAND, ...options]);

describe('bench:retrieval', () => {
  test('measures every ranker on every set and writes all of it for machines', async () => {
    const json = join(mkdtempSync(join(tmpdir(), 'bench-')), 'run.json');
    const { stdout } = await run(FIXTURES, '--json', json);
    expect(stdout).toMatch(/^office +bm25 +[01]\.\d{3}/m);

    const { sets, mean, queries, machine, date } = JSON.parse(readFileSync(json, 'utf8'));
    expect(Object.keys(sets.office)).toEqual(['bm25', 'wink', 'wink-helper', 'minisearch']);
    const row = sets.office.bm25;
    expect(row).toMatchObject({
      tools: 10,
      queries: 8,
      own_lists: 2,
      small_lists: 1,
      small_list_failures: 0,
    });
    for (const measure of ['ndcg10', 'recall1', 'hit1_own_lists', 'misspelt_ndcg10', 'hit1_listed']) {
      expect(row[measure], measure).toBeGreaterThan(0.5);
      expect(row[measure], measure).toBeLessThanOrEqual(1);
    }
    for (const measure of ['ms_per_query', 'query_p50_ms', 'query_p95_ms', 'build_ms']) {
      expect(row[measure], measure).toBeGreaterThan(0);
    }
    expect(mean.bm25.ndcg10).toBe(row.ndcg10);
    expect(Object.keys(queries.office.bm25.ndcg10)).toHaveLength(8);
    expect(machine.cores).toBeGreaterThan(0);
    expect(date).toMatch(/^\d{4}-/);
  });

  test('counts a library that cannot index one tool as failed, not as the end of the run', async () => {
    const json = join(mkdtempSync(join(tmpdir(), 'bench-')), 'run.json');
    await run(FIXTURES, '--rankers', 'wink-helper', '--json', json);
    const { office } = JSON.parse(readFileSync(json, 'utf8')).sets;
    expect(office['wink-helper']).toMatchObject({ own_list_failures: 1, small_list_failures: 1 });
    expect(office['wink-helper'].small_list_misses).toBe(1);
  });

  test('compares two runs query by query', async () => {
    const json = join(mkdtempSync(join(tmpdir(), 'bench-')), 'run.json');
    await run(FIXTURES, '--rankers', 'bm25', '--json', json);
    const { stdout } = await run(FIXTURES, '--rankers', 'bm25', '--against', json);
    expect(stdout).toMatch(/^office +bm25 +ndcg10 +8 +\+0\.0000 +\+0\.0000 … \+0\.0000 +0 +0 +8/m);
  });

  test('writes the tables as Markdown', async () => {
    const markdown = join(mkdtempSync(join(tmpdir(), 'bench-')), 'run.md');
    await run(FIXTURES, '--rankers', 'bm25', '--no-misspelt', '--markdown', markdown);
    const text = readFileSync(markdown, 'utf8');
    expect(text).toMatch(/^# Retrieval bench\n\n\d{4}-\d\d-\d\d, .*, Node v/);
    expect(text).toContain('| set | ranker | Hit@5 | R@5 | NDCG@10 | misspelt NDCG@10 | own Hit@1 |');
    expect(text).toContain('`npm run bench:retrieval -- DIR`.');
  });

  test.each([
    [
      'a ranker that is not there',
      [FIXTURES, '--rankers', 'bm52'],
      /no ranker "bm52"; there are: bm25, wink/,
    ],
    ['a set that is not there', [FIXTURES, '--sets', 'offices'], /no set "offices" in .*; there are: office/],
    [
      'a misspelt option',
      [FIXTURES, '--ranker', 'bm25'],
      /Unknown option '--ranker'[\s\S]*usage: npm run bench:retrieval/,
    ],
    ['no folder', [], /expected one folder\nusage: /],
    [
      'a file to compare with that is no run',
      [FIXTURES, '--against', join(FIXTURES, 'office', 'tools.jsonl')],
      /tools\.jsonl: /,
    ],
  ])('ends with one plain line and exit code 1 for %s', async (_, options, message) => {
    const error = await run(...options).catch((failure) => failure);
    expect(error.code).toBe(1);
    expect(error.stderr).toMatch(message);
    expect(error.stderr).not.toMatch(/^ +at /m);
  });
});
