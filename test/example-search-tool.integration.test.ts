import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { runExample, savedShare } from '../examples/search-tool/run-example.ts';
import { TOOLS } from '../examples/search-tool/tools.ts';

describe('the example of the search tool', () => {
  test('saves at least 80 % of the input tokens with 50 tools, by two searches and two calls', async () => {
    const events: string[] = [];
    const result = await runExample({
      onSearch: (_, found) => events.push(`search: ${found[0]}`),
      onCall: (name) => events.push(`call: ${name}`),
      onAnswer: (text) => events.push(text),
    });
    expect(TOOLS).toHaveLength(50);
    expect(events).toEqual([
      'search: jira__create_issue',
      'search: slack__send_message',
      'call: jira__create_issue',
      'call: slack__send_message',
      'WEB-1433 is filed, and #checkout-team knows.',
    ]);
    expect(result.rejected).toBe(0);
    expect(result.withAll.map(({ tools }) => tools)).toEqual([50, 50, 50]);
    expect(result.withSearch.map(({ tools }) => tools)).toEqual([1, 5, 5, 5]);
    expect(savedShare(result)).toBeGreaterThanOrEqual(0.8);
    expect(result.searchToolTokens).toBeLessThanOrEqual(900);
  });

  test('prints what it measured', async () => {
    const program = join(import.meta.dirname, '../examples/search-tool/main.ts');
    const { stdout } = await promisify(execFile)(process.execPath, [program]);
    const [, saved] = /Saved: ([\d.]+) % of the input tokens/.exec(stdout)!;
    expect(Number(saved)).toBeGreaterThanOrEqual(80);
  });
});
